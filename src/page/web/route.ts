// The address after "#": "#/jobs?state=waiting&job=ml/train". All that a colleague should see is in it.
import { useEffect, useState } from "preact/hooks";

export const kViews = ["cluster", "jobs", "queues", "reservations", "sessions", "whatif"] as const;
export type View = (typeof kViews)[number];

export interface Route {
  view: View;
  parameters: Record<string, string>;
}

export function readRoute(hash: string): Route {
  const [path, query] = hash.replace(/^#\/?/, "").split("?", 2);
  const view = kViews.find((each) => each === path) ?? "cluster";
  const parameters: Record<string, string> = {};
  for (const [key, value] of new URLSearchParams(query ?? "")) parameters[key] = value;
  return { view, parameters };
}

export function writeRoute(route: Route): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(route.parameters)) if (value !== "") query.set(key, value);
  const text = query.toString().replaceAll("%2F", "/");
  return `#/${route.view}${text === "" ? "" : `?${text}`}`;
}

// Without a new entry in the history for changes of a filter.
export function go(view: View, parameters: Record<string, string>, replaces = false): void {
  const hash = writeRoute({ view, parameters });
  if (hash === location.hash) return;
  if (replaces) {
    history.replaceState(null, "", hash);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = hash;
  }
}

// Changes some parameters of the present view.
export function change(parameters: Record<string, string>, replaces = true): void {
  const route = readRoute(location.hash);
  go(route.view, { ...route.parameters, ...parameters }, replaces);
}

export function useRoute(): Route {
  const [route, set] = useState(() => readRoute(location.hash));
  useEffect(() => {
    const follow = () => set(readRoute(location.hash));
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  return route;
}
