// The view Cluster: each node as a tile, and the same as a table.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { palette, queueVariable } from "./colours";
import { amount, count, duration, percent, plural, resourceName } from "./format";
import { PodState, isWaiting, type Job, type Model, type Node } from "./model";
import { domainText, lockText, podStateName } from "./panels";
import { JobLink, LongTable, NodeLink, QueueFilter, QueueName, useSize, type Column, type ViewProps } from "./parts";
import { change, go } from "./route";
import { useTheme } from "./theme";
import { drawFrames, drawTile, layoutOf, neighbour, tileAt, type Layout, type Look } from "./tiles";

function stripes(colour: string, kind: "lock" | "leaving"): CanvasPattern {
  const size = kind === "lock" ? 8 : 4;
  const tile = document.createElement("canvas");
  tile.width = tile.height = size * 2;
  const context = tile.getContext("2d")!;
  context.strokeStyle = colour;
  context.globalAlpha = kind === "lock" ? 0.5 : 1;
  context.lineWidth = kind === "lock" ? 2.5 : 2.5;
  context.beginPath();
  for (let x = -size * 2; x <= size * 4; x += size) {
    context.moveTo(x, size * 2);
    context.lineTo(x + size * 2, 0);
  }
  context.stroke();
  return context.createPattern(tile, "repeat")!;
}

function matcher(model: Model, parameters: Record<string, string>): (node: Node) => boolean {
  const text = (parameters.q ?? "").toLowerCase();
  const queue = parameters.queue ?? "";
  const job = parameters.job ? model.jobNamed(parameters.job) : undefined;
  if (text === "" && queue === "" && !job) return () => true;
  return (node) => {
    const jobs = node.groups.map((group) => model.job(group.job));
    const target = model.job(node.target);
    if (job && !jobs.includes(job) && target !== job) return false;
    if (queue !== "" && node.queue !== queue && target?.queue !== queue && !jobs.some((j) => j?.queue === queue)) {
      return false;
    }
    return text === "" || node.name.toLowerCase().includes(text) || jobs.some((j) => j?.name.toLowerCase().includes(text)) ||
      domainText(model, node).toLowerCase().includes(text);
  };
}

// One sentence, for the tip and for screen readers.
export function describe(model: Model, node: Node): string {
  const parts = [node.name];
  const domain = domainText(model, node);
  if (domain !== "") parts.push(domain);
  if (node.unschedulable) parts.push("cordoned");
  model.cluster.resources.forEach((name, r) => {
    if ((node.allocatable[r] ?? 0) === 0) return;
    parts.push(`${amount(name, node.used[r] ?? 0)} of ${amount(name, node.allocatable[r])} ${resourceName(name)} used`);
  });
  const lock = lockText(model, node);
  if (lock !== "") parts.push(lock);
  for (const group of node.groups.slice(0, 6)) {
    const job = model.job(group.job);
    parts.push(`${plural(group.pods, "pod")} of ${job ? job.name : "others"} ${podStateName(group.state)}`);
  }
  if (node.groups.length > 6) parts.push(`and ${node.groups.length - 6} more`);
  return parts.join(", ");
}

function Tip({ model, node, x, y, right }: { model: Model; node: Node; x: number; y: number; right: boolean }) {
  const [first, ...rest] = describe(model, node).split(", ");
  return (
    <div class="tip" style={{ left: `${x}px`, top: `${y}px`, transform: right ? "translateX(-100%)" : "none" }} aria-hidden="true">
      <strong>{first}</strong>
      {rest.map((line) => <div key={line}>{line}</div>)}
    </div>
  );
}

function NodeMap({ model, parameters }: ViewProps) {
  const [box, width, height] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const { dark } = useTheme();
  const [over, setOver] = useState(-1);
  const [focus, setFocus] = useState(-1);
  const drawn = useRef({ changes: 0, layout: null as Layout | null, key: "" });
  const layout = useMemo(
    () => layoutOf(model, Math.max(200, width), Math.max(160, height)),
    [model.nodesChanges, width, height]);
  const key = [dark, parameters.q, parameters.queue, parameters.job, model.queueNames.length, model.device].join("|");

  useEffect(() => {
    const element = canvas.current;
    if (!element || width === 0) return;
    const isAnew = drawn.current.layout !== layout || drawn.current.key !== key;
    if (!isAnew && drawn.current.changes === model.changes) return;
    performance.mark("berth-tiles");
    const ratio = window.devicePixelRatio || 1;
    const context = element.getContext("2d")!;
    const matches = matcher(model, parameters);
    const patterns = new Map<string, CanvasPattern>();
    const look: Look = {
      model, palette: palette(), device: model.device, isDimmed: (node) => !matches(node),
      stripes: (colour, kind) => {
        const name = colour + kind;
        if (!patterns.has(name)) patterns.set(name, stripes(colour, kind));
        return patterns.get(name)!;
      },
    };
    if (isAnew) {
      element.width = Math.round(layout.width * ratio);
      element.height = Math.max(1, Math.round(layout.height * ratio));
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      drawFrames(context, layout, look.palette);
    }
    let tiles = 0;
    for (const tile of layout.tiles) {
      tile.node = model.nodes.get(tile.node.name) ?? tile.node;
      if (!isAnew && tile.node.version <= drawn.current.changes) continue;
      drawTile(context, tile, layout.size, look);
      ++tiles;
    }
    drawn.current = { changes: model.changes, layout, key };
    performance.measure(`berth-tiles-${isAnew ? "all" : tiles > 0 ? "some" : "none"}`, "berth-tiles");
  });

  const place = (event: MouseEvent): number => {
    const area = canvas.current!.getBoundingClientRect();
    return tileAt(layout, event.clientX - area.left, event.clientY - area.top);
  };
  const open = (i: number) => {
    if (i >= 0) change({ node: layout.tiles[i].node.name, job: "" }, false);
  };
  const onKey = (event: KeyboardEvent) => {
    if (layout.tiles.length === 0) return;
    if (event.key === "Enter" || event.key === " ") {
      open(focus);
    } else if (["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) {
      const next = focus < 0 ? 0 : neighbour(layout, Math.min(focus, layout.tiles.length - 1), event.key);
      setFocus(next);
      setOver(next);
      const tile = layout.tiles[next];
      const element = box.current!;
      if (tile.y < element.scrollTop) element.scrollTop = tile.y - 8;
      const below = tile.y + layout.size + 8 - element.clientHeight;
      if (below > element.scrollTop) element.scrollTop = below;
    } else {
      return;
    }
    event.preventDefault();
  };
  const shown = over >= 0 && over < layout.tiles.length ? layout.tiles[over] : undefined;
  const selected = layout.byName.get(parameters.node ?? "");
  const ring = (i: number | undefined, name: string) => {
    if (i === undefined || i < 0 || i >= layout.tiles.length) return null;
    const tile = layout.tiles[i];
    const size = `${layout.size + 4}px`;
    return <div class={`ring ${name}`} style={{ left: `${tile.x - 2}px`, top: `${tile.y - 2}px`, width: size, height: size }} />;
  };
  return (
    <div class="map" ref={box} tabIndex={0} role="application" aria-roledescription="map of nodes"
      aria-label={`${plural(layout.tiles.length, "node")}. Arrow keys move, Enter opens. The same is in the table of nodes.`}
      onKeyDown={onKey} onBlur={() => { setFocus(-1); setOver(-1); }}>
      <div class="sheet" style={{ height: `${layout.height}px` }}
        onMouseMove={(event) => setOver(place(event))} onMouseLeave={() => setOver(focus)}
        onClick={(event) => { const i = place(event); setFocus(i); open(i); }}>
        <canvas ref={canvas} style={{ width: `${layout.width}px`, height: `${layout.height}px` }} aria-hidden="true" />
        {ring(selected, "selected")}
        {ring(over, "over")}
        {shown && <Tip model={model} node={model.nodes.get(shown.node.name) ?? shown.node} right={shown.x > layout.width / 2}
          x={shown.x > layout.width / 2 ? shown.x - 6 : shown.x + layout.size + 6} y={shown.y} />}
      </div>
      <div class="visually-hidden" aria-live="polite">
        {focus >= 0 && shown ? describe(model, model.nodes.get(shown.node.name) ?? shown.node) : ""}
      </div>
    </div>
  );
}

function Legend({ model, queue }: { model: Model; queue: string }) {
  const used = new Map<string, number>();
  const r = Math.max(0, model.device);
  for (const node of model.nodeList) {
    for (const group of node.groups) {
      const job = model.job(group.job);
      if (job && group.state !== PodState.claimed) used.set(job.queue, (used.get(job.queue) ?? 0) + (group.amounts[r] ?? 0));
    }
  }
  const total = model.cluster.total[r] ?? 0;
  const queues = [...used].sort((a, b) => b[1] - a[1]);
  return (
    <div class="legend" role="group" aria-label="Colours">
      {queues.slice(0, 12).map(([name, amountUsed]) => (
        <button key={name} aria-pressed={queue === name} title={name} onClick={() => change({ queue: queue === name ? "" : name })}>
          <span class="swatch" style={{ background: queueVariable(model.queueNames, name) }} aria-hidden="true" />
          <span class="cut">{name}</span> <span class="muted">{percent(amountUsed, total)}</span>
        </button>
      ))}
      {queues.length > 12 && <span class="muted">and {queues.length - 12} more</span>}
      <span class="key"><i class="tile idle" />idle</span>
      <span class="key"><i class="tile planned" />planned</span>
      <span class="key"><i class="tile leaving" />leaving</span>
      <span class="key"><i class="tile claimed" />claimed</span>
      <span class="key"><i class="tile lock" />kept</span>
      <span class="key"><i class="tile foreign" />pods of others</span>
    </div>
  );
}

export function Summary({ model }: { model: Model }) {
  const waiting = model.jobList.filter(isWaiting);
  const oldest = waiting.reduce((least, job) => Math.min(least, job.since), Infinity);
  const locked = model.nodeList.filter((node) => node.target >= 0).length;
  const shown = model.cluster.resources.map((name, r) => ({ name, r })).filter(({ r }) => (model.cluster.total[r] ?? 0) > 0);
  return (
    <dl class="summary">
      <div><dt>nodes</dt><dd>{count(model.nodes.size)}</dd>{locked > 0 && <dd class="more">{count(locked)} kept for jobs</dd>}</div>
      {shown.slice(0, 5).map(({ name, r }) => (
        <div key={name}>
          <dt>{resourceName(name)}</dt>
          <dd>{percent(model.cluster.used[r], model.cluster.total[r])}</dd>
          <dd class="more">{amount(name, model.cluster.used[r])} of {amount(name, model.cluster.total[r])}</dd>
          <dd class="bar" aria-hidden="true"><i style={{ width: `${(100 * model.cluster.used[r]) / model.cluster.total[r]}%` }} /></dd>
        </div>
      ))}
      <div><dt>jobs with pods on nodes</dt><dd>{count(model.jobList.filter((job) => job.running > 0).length)}</dd></div>
      <div>
        <dt>jobs that wait</dt>
        <dd><button class="link" onClick={() => go("jobs", { state: "waiting" })}>{count(waiting.length)}</button></dd>
        {waiting.length > 0 && <dd class="more">the oldest for {duration(model.now - oldest)}</dd>}
      </div>
    </dl>
  );
}

function NodeTable({ model, parameters }: ViewProps) {
  const matches = matcher(model, parameters);
  const rows = model.nodeList.filter(matches);
  const columns: Column<Node>[] = [
    { key: "name", title: "Node", cell: (node) => <NodeLink name={node.name} /> },
    { key: "domain", title: "Domain", class: "wide", cell: (node) => domainText(model, node) || "–" },
    ...model.cluster.resources.filter((_, r) => r !== 1 && (model.cluster.total[r] ?? 0) > 0).slice(0, 3).map((name) => {
      const r = model.resource(name);
      return {
        key: name, title: resourceName(name), class: "number",
        cell: (node: Node) => `${amount(name, node.used[r] ?? 0)} of ${amount(name, node.allocatable[r] ?? 0)}`,
      };
    }),
    { key: "lock", title: "Kept", class: "wide", cell: (node) => lockText(model, node) || "–" },
    {
      key: "jobs", title: "Jobs", class: "fill",
      cell: (node) => node.groups.filter((g) => g.job >= 0).map((group) => {
        const job = model.job(group.job);
        return job && <span key={`${group.job} ${group.state}`}><JobLink name={job.name} /> <span class="muted">{count(group.pods)} {podStateName(group.state)}</span> </span>;
      }),
    },
  ];
  return <LongTable label="Table of nodes" rows={rows} columns={columns} keyOf={(node) => node.name} height={30} />;
}

// The jobs that are served next, with the reason: the question behind most looks at this page.
function Next({ model }: { model: Model }) {
  const jobs = model.order.map((id) => model.job(id)).filter((job): job is Job => job !== undefined && isWaiting(job)).slice(0, 3);
  if (jobs.length === 0) return null;
  return (
    <section class="next" aria-label="Next in line">
      <h2>Next in line</h2>
      <table>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.id}>
              <th scope="row"><JobLink name={job.name} /></th>
              <td class="wide"><QueueName model={model} queue={job.queue} /></td>
              <td class="number">{duration(model.now - job.since)}</td>
              <td class="fill" title={job.more.message}>{job.more.message}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {model.order.length > jobs.length && (
        <button class="link" onClick={() => go("jobs", { state: "waiting" })}>all {count(model.order.length)}</button>
      )}
    </section>
  );
}

export function ClusterView({ model, parameters }: ViewProps) {
  const isTable = parameters.as === "table";
  return (
    <div class="view cluster">
      <h1 class="visually-hidden">Cluster</h1>
      <Summary model={model} />
      <div class="tools">
        <Legend model={model} queue={parameters.queue ?? ""} />
        <QueueFilter model={model} value={parameters.queue ?? ""} />
        <div class="segments" role="group" aria-label="Show nodes as">
          <button aria-pressed={!isTable} onClick={() => change({ as: "" })}>Map</button>
          <button aria-pressed={isTable} onClick={() => change({ as: "table" })}>Table</button>
        </div>
      </div>
      {isTable ? <NodeTable model={model} parameters={parameters} /> : <NodeMap model={model} parameters={parameters} />}
      {!isTable && <Next model={model} />}
    </div>
  );
}
