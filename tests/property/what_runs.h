// What an execution sees of a program, whatever else is in it and however it is numbered.
#ifndef PTEEDIT_TESTS_PROPERTY_WHAT_RUNS_H_
#define PTEEDIT_TESTS_PROPERTY_WHAT_RUNS_H_

#include "independent_reader.h"

namespace pteedit::test {

// Takes what ReadIndependently says with Detail::kMeaning and gives back its methods, as far as inputs, outputs, chains
// and instructions reach. Values, operators and delegates are numbered in the order in which these first name them, and
// each is told in full where it is first named. Stack traces and named data are left out.
Lines WhatRuns(const Lines& meaning);

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_PROPERTY_WHAT_RUNS_H_
