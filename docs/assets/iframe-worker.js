/* Search in pages that are opened from a folder: browsers allow them no worker, so its script runs in a hidden frame. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      this.ready = new Promise((done) => {
        frame.addEventListener("load", () => {
          const inside = frame.contentWindow;
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          const script = inside.document.createElement("script");
          script.addEventListener("load", () => done(inside));
          script.src = url;
          inside.document.body.append(script);
        }, { once: true });
      });
      frame.srcdoc = "<!doctype html><body></body>";
      document.body.append(frame);
    }

    postMessage(data) {
      this.ready.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {}
  };
}
