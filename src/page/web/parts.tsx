// Small parts that all views use. PAGE-11: names are text nodes and attributes, here and in all views.
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { queueVariable } from "./colours";
import { time, wholeTime } from "./format";
import { kHidden, type Model } from "./model";
import { change, go } from "./route";

export interface ViewProps {
  model: Model;
  parameters: Record<string, string>;
}

export function Swatch({ model, queue }: { model: Model; queue: string }) {
  return <span class="swatch" style={{ background: queueVariable(model.queueNames, queue) }} aria-hidden="true" />;
}

export function QueueName({ model, queue }: { model: Model; queue: string }) {
  return <span class="queue" title={queue}><Swatch model={model} queue={queue} /><span class="cut">{queue || "no queue"}</span></span>;
}

export function JobLink({ name, children }: { name: string; children?: ComponentChildren }) {
  if (name === kHidden) return <span class="muted">{children ?? name}</span>;
  return <button class="link name" onClick={() => change({ job: name, node: "" }, false)}>{children ?? name}</button>;
}

export function NodeLink({ name }: { name: string }) {
  return <button class="link name" onClick={() => change({ node: name, job: "" }, false)}>{name}</button>;
}

export function Time({ at, now, seconds }: { at: number; now: number; seconds?: boolean }) {
  if (at <= 0) return <span class="muted">–</span>;
  return <time dateTime={new Date(at * 1000).toISOString()} title={wholeTime(at)}>{time(at, now, seconds)}</time>;
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

export function Segments({ label, value, options, onChange }: {
  label: string;
  value: string;
  options: { value: string; text: string; count?: number }[];
  onChange: (value: string) => void;
}) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map((each) => (
        <button key={each.value} aria-pressed={each.value === value} onClick={() => onChange(each.value)}>
          {each.text}{each.count === undefined ? "" : <span class="count">{each.count.toLocaleString("en")}</span>}
        </button>
      ))}
    </div>
  );
}

export function QueueFilter({ model, value }: { model: Model; value: string }) {
  return (
    <label class="select">
      <span class="visually-hidden">Queue</span>
      <select value={value} onChange={(event) => change({ queue: event.currentTarget.value })}>
        <option value="">all queues</option>
        {model.queueNames.map((name) => <option key={name} value={name}>{name}</option>)}
      </select>
    </label>
  );
}

// The width and the height of an element, as they change.
export function useSize<T extends HTMLElement>(): [RefObject<T | null>, number, number] {
  const ref = useRef<T>(null);
  const [size, set] = useState([0, 0]);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(() => set([element.clientWidth, element.clientHeight]));
    observer.observe(element);
    set([element.clientWidth, element.clientHeight]);
    return () => observer.disconnect();
  }, []);
  return [ref, size[0], size[1]];
}

export interface Column<T> {
  key: string;
  title: string;
  class?: string;
  cell: (row: T, index: number) => ComponentChildren;
}

// A table of any length: only rows in sight are there. All rows have one height.
export function LongTable<T>({ label, rows, columns, keyOf, height, onOpen, isOpen }: {
  label: string;
  rows: T[];
  columns: Column<T>[];
  keyOf: (row: T) => string;
  height: number; // of a row
  onOpen?: (row: T) => void;
  isOpen?: (row: T) => boolean;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState([0, 40]);
  const look = () => {
    const element = ref.current;
    if (!element) return;
    const first = Math.max(0, Math.floor(element.scrollTop / height) - 8);
    const last = Math.ceil((element.scrollTop + element.clientHeight) / height) + 8;
    setSight((was) => (was[0] === first && was[1] === last ? was : [first, last]));
  };
  useEffect(() => {
    look();
    const observer = new ResizeObserver(look);
    if (ref.current) observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  const first = Math.min(sight[0], Math.max(0, rows.length - 1));
  const last = Math.min(sight[1], rows.length);
  return (
    <div class="long-table" ref={ref} onScroll={look} tabIndex={0} role="region" aria-label={label}>
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr>{columns.map((c) => <th key={c.key} scope="col" class={c.class}>{c.title}</th>)}</tr>
        </thead>
        <tbody>
          {first > 0 && <tr class="space" aria-hidden="true" style={{ height: `${first * height}px` }} />}
          {rows.slice(first, last).map((row, i) => (
            <tr key={keyOf(row)} aria-rowindex={first + i + 2} class={isOpen?.(row) ? "open" : undefined}
              style={{ height: `${height}px` }} onClick={onOpen && (() => onOpen(row))}>
              {columns.map((c) => <td key={c.key} class={c.class}>{c.cell(row, first + i)}</td>)}
            </tr>
          ))}
          {last < rows.length && <tr class="space" aria-hidden="true" style={{ height: `${(rows.length - last) * height}px` }} />}
        </tbody>
      </table>
    </div>
  );
}

export function Panel({ title, kind, children }: { title: string; kind: string; children: ComponentChildren }) {
  const ref = useRef<HTMLElement>(null);
  useLayoutEffect(() => ref.current?.focus(), [title]);  // a key that is pressed when it is seen is its own
  const close = () => change({ job: "", node: "" }, false);
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") close();
  };
  return (
    <aside class="panel" aria-label={`${kind} ${title}`} tabIndex={-1} ref={ref} onKeyDown={onKey}>
      <header>
        <div>
          <p class="kind">{kind}</p>
          <h2>{title}</h2>
        </div>
        <button class="icon" aria-label="Close" title="Close (Esc)" onClick={close}>✕</button>
      </header>
      {children}
    </aside>
  );
}

export function Facts({ facts }: { facts: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {facts.filter(([, value]) => value !== undefined && value !== null && value !== false).map(([name, value]) => (
        <div key={name}><dt>{name}</dt><dd>{value}</dd></div>
      ))}
    </dl>
  );
}

// A command that can be copied.
export function Command({ text }: { text: string }) {
  const [isCopied, set] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    set(true);
    setTimeout(() => set(false), 1500);
  };
  return (
    <div class="command">
      <code tabIndex={0}>{text}</code>
      {navigator.clipboard && <button onClick={copy}>{isCopied ? "Copied" : "Copy"}</button>}
    </div>
  );
}

export const openJobs = (parameters: Record<string, string>) => go("jobs", parameters);
