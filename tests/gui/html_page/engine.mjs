// Runs a page's model in Node: reads JSON from standard input, writes JSON to standard output.
import fs from "node:fs";
import vm from "node:vm";

const asked = JSON.parse(fs.readFileSync(0, "utf8"));
vm.runInThisContext(fs.readFileSync(asked.engine, "utf8") + "\nglobalThis.Engine = Engine;");
const module = new WebAssembly.Module(Buffer.from(asked.code, "base64"));
const engine = new Engine(module, asked.about), told = [], found = [];
for (const [what, ...given] of asked.orders) {
  if (what === "step") told.push(engine.step(...given));
  else if (what === "set") told.push(engine.set(...given));
  else if (what === "reset") told.push(engine.reset());
  else if (what === "start") engine.start = given[0] && { at: given[0], words: given[1].map(BigInt) };
  else if (what === "see") found.push({ time: engine.time, row: [...engine.row()], pose: [...engine.pose()] });
}
const timed = asked.time ? (() => { const before = performance.now(); engine.step(asked.time); return performance.now() - before; })() : 0;
console.log(JSON.stringify({ told, found, imports: WebAssembly.Module.imports(module).map(one => one.name), maths: Object.keys(vm.runInThisContext("MATHS")), ms: timed }));
