#include "results/style.h"

namespace berth::results {

// r0 to r7 are colours of runs, g0 to g11 of jobs.
const char* const kStyle = R"css(
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1b1f24;--muted:#59626e;
--line:#dde1e6;--grid:#e7eaee;--head:#eef1f4;
--run0:#0b69b0;--run1:#c8500a;--run2:#0a8560;--run3:#b0428a;--run4:#7a6400;--run5:#6446c0;
--run6:#0f8394;--run7:#b3263a;--light:62%;--strong:52%}
@media (prefers-color-scheme:dark){:root{--page:#14171b;--card:#1c2026;--text:#e6e9ed;
--muted:#9aa4b0;--line:#343b44;--grid:#2a3038;--head:#242a31;
--run0:#5cb3f2;--run1:#ff9557;--run2:#3fcf9d;--run3:#ee8fc8;--run4:#e0c24a;--run5:#ab97ff;
--run6:#4fd0e0;--run7:#ff8390;--light:55%;--strong:42%}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1240px;margin:0 auto;padding:24px 20px 64px}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 4px}
h2{font-size:1.2rem;margin:40px 0 12px}
h3{font-size:1rem;margin:0;overflow-wrap:anywhere}
p{margin:0;color:var(--muted)}
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:4px 14px;text-align:right;white-space:nowrap}
th{font-weight:inherit}
thead th{font-weight:600;white-space:normal;overflow-wrap:anywhere;vertical-align:bottom;
min-width:110px;border-bottom:2px solid var(--line);padding-top:10px;padding-bottom:8px}
thead th[class]{border-top:4px solid var(--c)}
.legend li::before{content:"";display:inline-block;width:10px;height:10px;
border-radius:3px;background:var(--c);margin-right:7px}
tbody th[scope=row]{text-align:left;position:sticky;left:0;background:var(--card);
padding-left:26px;color:var(--muted)}
tbody th[scope=rowgroup]{text-align:left;font-weight:600;background:var(--head);
border-top:1px solid var(--line)}
tbody tr:hover td{background:var(--head)}
.charts{display:grid;gap:16px;grid-template-columns:repeat(auto-fit,minmax(min(100%,480px),1fr))}
figure{margin:0;min-width:0;background:var(--card);border:1px solid var(--line);border-radius:8px;
padding:14px 16px}
.wide figure{margin-bottom:16px}
figcaption p{font-size:.86rem}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:2px 16px;margin:6px 0 0;padding:0;
font-size:.82rem;overflow-wrap:anywhere}
.chart{overflow-x:auto;margin-top:8px}
svg{display:block;width:100%;height:auto}
svg text{fill:var(--muted);font-size:11.5px}
.grid{stroke:var(--grid);fill:none}
.line{stroke:var(--c);fill:none;stroke-width:1.4;stroke-linejoin:round}
.line.again{stroke-dasharray:5 3}
.bar{fill:var(--c)}.bar:hover{opacity:.75}
.bar.again{fill-opacity:.6}
.r0{--c:var(--run0)}.r1{--c:var(--run1)}.r2{--c:var(--run2)}.r3{--c:var(--run3)}
.r4{--c:var(--run4)}.r5{--c:var(--run5)}.r6{--c:var(--run6)}.r7{--c:var(--run7)}
[class^=g]:not(.grid){stroke:var(--card);stroke-width:.4}
[class^=g]:not(.grid):hover{stroke:var(--text);stroke-width:1.2}
.g0{fill:hsl(210 55% var(--light))}.g1{fill:hsl(25 65% var(--light))}
.g2{fill:hsl(155 40% var(--strong))}.g3{fill:hsl(320 40% var(--light))}
.g4{fill:hsl(50 60% var(--strong))}.g5{fill:hsl(255 45% var(--light))}
.g6{fill:hsl(185 45% var(--strong))}.g7{fill:hsl(0 50% var(--light))}
.g8{fill:hsl(95 35% var(--strong))}.g9{fill:hsl(285 35% var(--strong))}
.g10{fill:hsl(35 45% var(--strong))}.g11{fill:hsl(225 35% var(--strong))}
details{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 16px}
summary{cursor:pointer;font-weight:600}
dt{font-weight:600;margin-top:10px}
dd{margin:0;color:var(--muted);max-width:80ch}
@media print{.scroll,.chart{overflow:visible}figure{break-inside:avoid}}
)css";

}  // namespace berth::results
