// The view What if: commands of `berth when`, which simulates on the machine of who asks.
import { useState } from "preact/hooks";
import { isWaiting } from "./model";
import { quoted } from "./panels";
import { Command, type ViewProps } from "./parts";
import { change } from "./route";

const kChanges = [
  { value: "none", text: "nothing else" },
  { value: "add", text: "more nodes" },
  { value: "drain", text: "a node drained" },
  { value: "limit", text: "a time limit of a job" },
  { value: "without", text: "one job less" },
  { value: "set", text: "another setting" },
] as const;

export function WhatIfView({ model, parameters }: ViewProps) {
  const waiting = model.namedJobs.filter(isWaiting).sort((a, b) => a.since - b.since);
  const job = parameters.job ?? "";
  const [by, setBy] = useState("+8h");
  const [changes, setChanges] = useState("none");
  const [number, setNumber] = useState("2");
  const [node, setNode] = useState("");
  const [other, setOther] = useState("");
  const [value, setValue] = useState("+2h");
  const nodes = model.nodeList.map((each) => each.name);
  const like = nodes.includes(node) ? node : nodes[0] ?? "NODE";
  const named = other || waiting[0]?.name || "NAMESPACE/NAME";
  const flags = {
    none: "", add: `--add-nodes ${number || 1}:like=${like}`, drain: `--drain ${like}@${value}`,
    limit: `--time-limit ${named}=${value.replace("+", "")}`, without: `--without-job ${named}`, set: `--set ${value}`,
  }[changes] ?? "";
  // Through `berth page` this origin has the page alone.
  const words = model.isForwarded ? ["kubectl", "berth", "when"] : ["berth", "when", "--server", location.origin];
  if (job !== "") words.push("--job", job, "--by", by || "+8h");
  words.push(...flags.split(" ").filter((word) => word !== ""), "-o", "table");
  const field = (label: string, input: preact.JSX.Element) => <label class="field"><span>{label}</span>{input}</label>;
  const text = (at: string, set: (value: string) => void, list?: string) => (
    <input value={at} list={list} onInput={(event) => set(event.currentTarget.value)} />
  );
  return (
    <div class="view whatif">
      <h1>What if</h1>
      <p class="lead">
        <code>berth when</code> runs the sessions of this berthd from its present state, on your machine, and says which jobs start
        earlier or later. It changes nothing. Choose, and copy the command.
      </p>
      <div class="form">
        {field("When does it start", (
          <select value={job} onChange={(event) => change({ job: event.currentTarget.value })}>
            <option value="">each waiting job</option>
            {job !== "" && !waiting.some((each) => each.name === job) && <option value={job}>{job}</option>}
            {waiting.slice(0, 500).map((each) => <option key={each.id} value={each.name}>{each.name}</option>)}
          </select>
        ))}
        {job !== "" && field("It should start by", text(by, setBy))}
        {field("With", (
          <select value={changes} onChange={(event) => {
            setChanges(event.currentTarget.value);
            setValue(event.currentTarget.value === "set" ? "plugins.NAME.ARGUMENT=VALUE" : "+2h");
          }}>
            {kChanges.map((each) => <option key={each.value} value={each.value}>{each.text}</option>)}
          </select>
        ))}
        {changes === "add" && field("How many", text(number, setNumber))}
        {(changes === "add" || changes === "drain") && field(changes === "add" ? "Like node" : "Node", text(node || like, setNode, "nodes"))}
        {(changes === "limit" || changes === "without") && field("Job", text(other || named, setOther, "jobs"))}
        {changes === "drain" && field("At", text(value, setValue))}
        {changes === "limit" && field("Limit", text(value, setValue))}
        {changes === "set" && field("Setting", text(value, setValue))}
      </div>
      <datalist id="nodes">{nodes.slice(0, 500).map((name) => <option key={name} value={name} />)}</datalist>
      <datalist id="jobs">{model.namedJobs.slice(0, 500).map((each) => <option key={each.id} value={each.name} />)}</datalist>
      <Command text={words.map(quoted).join(" ")} />
      {job !== "" && <p class="muted">It finds the smallest changes that let the job start in time: its limit, another job's, one job less, or more nodes.</p>}
      {!model.isForwarded && <p class="muted">Behind a port-forward or TLS, <code>kubectl berth when</code> with your own kubeconfig does the same.</p>}
    </div>
  );
}
