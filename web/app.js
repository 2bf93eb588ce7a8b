// Takes files, lets worker.js make the page of them that pteinspect --html makes, and shows that.
"use strict";
const base = new URL(".", location.href).href;
const said = document.getElementById("said"), frame = document.getElementById("page"), save = document.getElementById("save");
// A worker that is made of text stands under this page's rules for what may be loaded, one of a file does not.
const workerText = `const base = ${JSON.stringify(base)}; importScripts(base + "worker.js");`;
const workerAddress = URL.createObjectURL(new Blob([workerText], { type: "text/javascript" }));
let worker = null;

function say(state, text) {
  document.body.dataset.state = state;
  said.textContent = text;
}
function showPage(page, name) {
  URL.revokeObjectURL(save.href);
  save.href = frame.src = URL.createObjectURL(new Blob([page], { type: "text/html" }));
  save.download = name + ".html";
  save.hidden = frame.hidden = false;
}
function take(files) {
  if (files.length === 0) return;
  if (worker) worker.terminate();
  save.hidden = frame.hidden = true;
  say("looking", "looking …");
  worker = new Worker(workerAddress);
  worker.onmessage = ({ data }) => {
    worker.terminate();  // and with it all of its memory
    document.body.dataset.memoryBytes = data.memoryBytes;
    if (data.page !== null) showPage(data.page, files[0].name);
    say("done", data.problem);
  };
  worker.onerror = (event) => say("done", "pteinspect: error: " + event.message);
  worker.postMessage(files);
}
function takeDropsOn(place) {
  place.addEventListener("dragover", (event) => event.preventDefault());
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    take([...event.dataTransfer.files]);
  });
}
takeDropsOn(window);
frame.addEventListener("load", () => takeDropsOn(frame.contentWindow));
document.getElementById("files").addEventListener("change", (event) => {
  take([...event.target.files]);
  event.target.value = "";  // so that choosing the same file again is a change, too
});
