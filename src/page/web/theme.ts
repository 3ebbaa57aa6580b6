// Light and dark: the system's, or the viewer's choice, which the browser keeps.
import { useEffect, useState } from "preact/hooks";

export type Theme = "system" | "light" | "dark";
const kKey = "berth-theme";
const kDark = window.matchMedia("(prefers-color-scheme: dark)");

function stored(): Theme {
  try {
    const value = localStorage.getItem(kKey);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system"; // a browser that keeps nothing
  }
}

let theme = stored();
const listeners = new Set<() => void>();

function apply(): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const listener of listeners) listener();
}

export function setTheme(next: Theme): void {
  theme = next;
  try {
    localStorage.setItem(kKey, next);
  } catch {
    // It holds until the page is closed.
  }
  apply();
}

export const isDark = (): boolean => (theme === "system" ? kDark.matches : theme === "dark");

kDark.addEventListener("change", apply);
apply();

// Renders anew when the theme changes.
export function useTheme(): { theme: Theme; dark: boolean } {
  const [, set] = useState(0);
  useEffect(() => {
    const listener = () => set((n) => n + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return { theme, dark: isDark() };
}
