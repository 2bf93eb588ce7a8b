// Beside the page, so that it stays usable meanwhile. app.js has set `base`, the folder of all these files.
"use strict";
let files = [];

// For site.cc: puts bytes of a file where it says, and tells whether they were all there.
function readPiece(file, offset, out, size) {
  try {
    const piece = new FileReaderSync().readAsArrayBuffer(files[file].slice(offset, offset + size));
    Module.HEAPU8.set(new Uint8Array(piece), out);
    return piece.byteLength === size;
  } catch {
    return false;
  }
}

const fail = (what) => postMessage({ page: null, problem: "pteinspect: error: stopped, perhaps for lack of memory: " + what });

function answer() {
  const added = files.every((file, i) => Module.ccall("AddFile", "boolean", ["number", "string", "number"], [i, file.name, file.size]));
  const page = added ? Module.ccall("MakePage", "string") : "";
  const memoryBytes = Module.HEAPU8.length;  // the most that it had, since it never gets less
  postMessage(page === "" ? { page: null, problem: Module.ccall("Problem", "string") } : { page, problem: "", memoryBytes });
}

var Module = {
  locateFile: (name) => base + name,
  printErr() {},  // onAbort has the same
  onAbort: fail,
  onRuntimeInitialized() {
    try {
      answer();
    } catch (error) {
      fail(error.message);
    }
  },
};

onmessage = (event) => {
  files = event.data;
  importScripts(base + "pteedit.js");
};
