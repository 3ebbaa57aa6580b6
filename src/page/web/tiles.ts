// The map of nodes: where each tile is, and how it is drawn.
import { queueIndex, type Palette } from "./colours";
import { PodState, type Domain, type Group, type Model, type Node } from "./model";

export interface Tile {
  node: Node;
  x: number;
  y: number;
}

export interface Frame {
  label: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Layout {
  size: number; // of a tile
  tiles: Tile[];
  byName: Map<string, number>;
  frames: Frame[];
  width: number;
  height: number;
  columns: number; // of tiles in one row, at most
}

const kSizes = [168, 140, 112, 88, 72, 60, 50, 42, 36, 30, 26, 22, 19, 16, 14, 12, 10];
const kLabel = 15;
const kPadding = 4;
const kBetweenFrames = 6;

const gapOf = (size: number): number => (size >= 42 ? 7 : size >= 22 ? 4 : 2);

function pathOf(domain: Domain | undefined, model: Model): string {
  const names: string[] = [];
  for (let at = domain; at !== undefined; at = model.domains.get(String(at.parent))) names.unshift(at.name);
  return names.join(" / ");
}

// Nodes by their innermost domain, in the order of the domains; nodes in none are last.
function framesOf(model: Model): { label: string; nodes: Node[] }[] {
  const byDomain = new Map<number, Node[]>();
  for (const node of model.nodeList) {
    const list = byDomain.get(node.domain);
    if (list) list.push(node);
    else byDomain.set(node.domain, [node]);
  }
  const collator = new Intl.Collator("en", { numeric: true });
  return [...byDomain]
    .map(([id, nodes]) => ({ label: pathOf(model.domains.get(String(id)), model), nodes }))
    .sort((a, b) => (a.label === "" ? 1 : b.label === "" ? -1 : collator.compare(a.label, b.label)));
}

function layOut(groups: { label: string; nodes: Node[] }[], width: number, size: number): Layout {
  const step = size + gapOf(size);
  const isFramed = groups.length > 1 || (groups[0]?.label ?? "") !== "";
  const layout: Layout = { size, tiles: [], byName: new Map(), frames: [], width, height: 0, columns: 1 };
  const padding = isFramed ? kPadding : 0;
  const most = Math.max(1, Math.floor((width - 2 * padding + gapOf(size)) / step));
  let x = 0;
  let y = 0;
  let rowHeight = 0;
  for (const { label, nodes } of groups) {
    const wanted = isFramed ? Math.ceil(Math.sqrt(nodes.length)) : nodes.length;
    const least = Math.ceil(40 / step);
    const columns = Math.min(most, Math.max(wanted, isFramed ? least : 1));
    const rows = Math.ceil(nodes.length / columns);
    const frameWidth = columns * step - gapOf(size) + 2 * padding;
    const frameHeight = rows * step - gapOf(size) + 2 * padding + (isFramed ? kLabel : 0);
    if (x > 0 && x + frameWidth > width) {
      x = 0;
      y += rowHeight + kBetweenFrames;
      rowHeight = 0;
    }
    if (isFramed) layout.frames.push({ label: label || "in no domain", x, y, width: frameWidth, height: frameHeight });
    nodes.forEach((node, i) => {
      layout.byName.set(node.name, layout.tiles.length);
      layout.tiles.push({
        node,
        x: x + padding + (i % columns) * step,
        y: y + padding + (isFramed ? kLabel : 0) + Math.floor(i / columns) * step,
      });
    });
    layout.columns = Math.max(layout.columns, columns);
    rowHeight = Math.max(rowHeight, frameHeight);
    x += frameWidth + kBetweenFrames;
  }
  layout.height = y + rowHeight;
  return layout;
}

// The largest tiles with which all nodes fit; the smallest ones scroll.
export function layoutOf(model: Model, width: number, height: number): Layout {
  const groups = framesOf(model);
  let layout = layOut(groups, width, kSizes[0]);
  for (const size of kSizes.slice(1)) {
    if (layout.height <= height && layout.columns * layout.size <= width) break;
    layout = layOut(groups, width, size);
  }
  return layout;
}

export function tileAt(layout: Layout, x: number, y: number): number {
  return layout.tiles.findIndex((t) => x >= t.x && x < t.x + layout.size && y >= t.y && y < t.y + layout.size);
}

// The tile that an arrow key leads to.
export function neighbour(layout: Layout, from: number, key: string): number {
  if (key === "Home") return 0;
  if (key === "End") return layout.tiles.length - 1;
  if (key === "ArrowLeft") return Math.max(0, from - 1);
  if (key === "ArrowRight") return Math.min(layout.tiles.length - 1, from + 1);
  const at = layout.tiles[from];
  const sign = key === "ArrowDown" ? 1 : -1;
  let best = from;
  let least = Infinity;
  layout.tiles.forEach((tile, i) => {
    const down = (tile.y - at.y) * sign;
    if (down <= 0) return;
    const distance = down * 4 + Math.abs(tile.x - at.x);
    if (distance < least) [best, least] = [i, distance];
  });
  return best;
}

// --- drawing ------------------------------------------------------------------------------------

export interface Look {
  model: Model;
  palette: Palette;
  device: number;
  isDimmed: (node: Node) => boolean;
  stripes: (colour: string, kind: "lock" | "leaving") => CanvasPattern;
}

// The part of the node that a group takes: of its scarcest resource.
export function partOf(group: Group, node: Node): number {
  let part = 0;
  group.amounts.forEach((amount, r) => {
    if (node.allocatable[r] > 0) part = Math.max(part, amount / node.allocatable[r]);
  });
  return Math.min(1, part);
}

function colourOf(group: Group, look: Look): string {
  const job = look.model.job(group.job);
  if (!job) return look.palette.foreign;
  return look.palette.queues[queueIndex(look.model.queueNames, job.queue)];
}

function fillArea(context: CanvasRenderingContext2D, group: Group, look: Look, x: number, y: number, w: number,
                  h: number): void {
  const colour = colourOf(group, look);
  if (group.state === PodState.planned || group.state === PodState.claimed) {
    const line = Math.min(1.5, w / 4, h / 4);
    context.strokeStyle = colour;
    context.lineWidth = line;
    context.setLineDash(group.state === PodState.claimed ? [2, 2] : []);
    context.strokeRect(x + line / 2, y + line / 2, w - line, h - line);
    context.setLineDash([]);
    return;
  }
  context.fillStyle = colour;
  if (group.state === PodState.leaving) {
    context.globalAlpha *= 0.45;
    context.fillRect(x, y, w, h);
    context.globalAlpha /= 0.45;
    context.fillStyle = look.stripes(colour, "leaving");
  }
  context.fillRect(x, y, w, h);
}

// A cell for each device.
function drawCells(context: CanvasRenderingContext2D, tile: Tile, size: number, cells: number, look: Look): void {
  let columns = Math.ceil(Math.sqrt(cells));
  while (columns < cells && columns <= 8 && cells % columns !== 0) ++columns; // no row is shorter
  if (cells % columns !== 0) columns = Math.ceil(Math.sqrt(cells));
  const rows = Math.ceil(cells / columns);
  const gap = size >= 30 ? 2 : 1;
  const width = (size - gap * (columns - 1)) / columns;
  const height = (size - gap * (rows - 1)) / rows;
  const place = (i: number): [number, number] =>
    [tile.x + (i % columns) * (width + gap), tile.y + Math.floor(i / columns) * (height + gap)];
  context.fillStyle = look.palette.idle;
  for (let i = 0; i < cells; ++i) context.fillRect(...place(i), width, height);
  let next = 0;
  for (const group of tile.node.groups) {
    if (group.state === PodState.claimed) continue;
    const taken = Math.round(group.amounts[look.device] ?? 0);
    for (let i = 0; i < taken && next < cells; ++i) fillArea(context, group, look, ...place(next++), width, height);
  }
  let last = cells;
  for (const group of tile.node.groups) {
    if (group.state !== PodState.claimed) continue;
    const taken = Math.round(group.amounts[look.device] ?? 0);
    for (let i = 0; i < taken && last > 0; ++i) fillArea(context, group, look, ...place(--last), width, height);
  }
}

// Stacked from the bottom, by the scarcest resource of each.
function drawStack(context: CanvasRenderingContext2D, tile: Tile, size: number, look: Look): void {
  let bottom = tile.y + size;
  let top = tile.y;
  for (const group of tile.node.groups) {
    const whole = Math.min(size, Math.max(1, partOf(group, tile.node) * size));
    // A band for each pod, if they are wide enough to be seen apart.
    const bands = size >= 30 && whole / group.pods >= 5 ? group.pods : 1;
    const height = whole / bands;
    const gap = size >= 30 && height >= 5 ? 1 : 0;
    for (let i = 0; i < bands; ++i) {
      if (group.state === PodState.claimed) {
        fillArea(context, group, look, tile.x, top + gap, size, height - gap);
        top += height;
      } else {
        bottom = Math.max(tile.y, bottom - height);
        fillArea(context, group, look, tile.x, bottom + gap, size, height - gap);
      }
    }
  }
}

function drawLock(context: CanvasRenderingContext2D, tile: Tile, size: number, look: Look): void {
  const target = look.model.job(tile.node.target);
  const queue = target ? target.queue : tile.node.queue;
  if (tile.node.target < 0 && queue === "") return;
  const colour = look.palette.queues[queueIndex(look.model.queueNames, queue)];
  context.fillStyle = look.stripes(colour, "lock");
  context.fillRect(tile.x, tile.y, size, size);
  const line = size >= 22 ? 2 : 1;
  context.strokeStyle = colour;
  context.lineWidth = line;
  context.strokeRect(tile.x + line / 2, tile.y + line / 2, size - line, size - line);
}

function drawName(context: CanvasRenderingContext2D, tile: Tile, size: number, look: Look): void {
  context.font = "600 11px system-ui, sans-serif";
  let name = tile.node.name;
  while (name.length > 1 && context.measureText(name).width > size - 12) name = name.slice(0, -2) + "…";
  context.fillStyle = look.palette.card;
  context.globalAlpha *= 0.82;
  context.fillRect(tile.x + 3, tile.y + 3, context.measureText(name).width + 6, 15);
  context.globalAlpha = 1;
  context.fillStyle = look.palette.text;
  context.textBaseline = "middle";
  context.fillText(name, tile.x + 6, tile.y + 11);
}

export function drawTile(context: CanvasRenderingContext2D, tile: Tile, size: number, look: Look): void {
  context.clearRect(tile.x - 0.5, tile.y - 0.5, size + 1, size + 1);
  const cells = look.device < 0 ? 0 : Math.min(64, Math.round(tile.node.allocatable[look.device] ?? 0));
  context.globalAlpha = look.isDimmed(tile.node) ? 0.16 : tile.node.unschedulable ? 0.5 : 1;
  const hasCells = cells > 0 && size >= 14;
  if (!hasCells) {
    context.fillStyle = look.palette.idle;
    context.fillRect(tile.x, tile.y, size, size);
  }
  if (hasCells) drawCells(context, tile, size, cells, look);
  else drawStack(context, tile, size, look);
  drawLock(context, tile, size, look);
  if (tile.node.unschedulable) {
    context.strokeStyle = look.palette.muted;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(tile.x, tile.y + size);
    context.lineTo(tile.x + size, tile.y);
    context.stroke();
  }
  if (size >= 60) drawName(context, tile, size, look);
  context.globalAlpha = 1;
}

export function drawFrames(context: CanvasRenderingContext2D, layout: Layout, palette: Palette): void {
  context.font = "10px system-ui, sans-serif";
  context.textBaseline = "middle";
  for (const frame of layout.frames) {
    context.strokeStyle = palette.line;
    context.lineWidth = 1;
    context.strokeRect(frame.x + 0.5, frame.y + 0.5, frame.width - 1, frame.height - 1);
    let label = frame.label;
    while (label.length > 1 && context.measureText(label).width > frame.width - 6) label = "…" + label.slice(2);
    context.fillStyle = palette.muted;
    context.fillText(label, frame.x + kPadding, frame.y + kLabel / 2 + 1);
  }
}
