import { render } from "preact";
import { App } from "./app";
import { Connection } from "./connection";
import { Model } from "./model";

const model = new Model();
const listeners = new Set<() => void>();
const changed = () => { for (const listener of listeners) listener(); };
const connection = new Connection(model, changed);
const root = document.getElementById("app")!;
root.textContent = "";
render(<App model={model} connection={connection} listeners={listeners} />, root);
void connection.run();
