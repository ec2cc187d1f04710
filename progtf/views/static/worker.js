import{loadPyodide as f,version as w}from"./pyodide.mjs";var o="/progtf",m=`
import json, sys
sys.path.insert(0, "${o}")
sys.dont_write_bytecode = True
from pathlib import Path
from progtf.views.serve import Figures

figures = Figures()

def answer(request):
    asked = json.loads(request)
    folder = Path("/figures") / str(asked["figure"])
    for name, text in asked["files"].items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return figures.answer({**asked, "folder": str(folder), "inputs": [asked["input"] or ""]})

warm = "semes: a\\nlexicon:\\n  x: +a\\nlayer:\\n  feedforward:\\n    a: a\\n"
Figures().answer({"figure": "", "text": warm, "name": "warm.seme", "folder": None, "inputs": []})
None
`,c="progtf",i=new Map,u=g();u.then(({resumed:e})=>postMessage({ready:!0,resumed:e}),e=>postMessage({failed:String(e)}));async function g(){let e=await fetch(new URL("progtf.zip",import.meta.url)).then(s=>s.arrayBuffer()),t=await y(e),r=await h(t),a=new URL(".",import.meta.url).href;if(r)try{let s=await f({indexURL:a,_loadSnapshot:r,createPyodideModule:S(r.length)});return p(s,e),{answer:s.globals.get("answer"),resumed:!0}}catch{await l()}let n=await f({indexURL:a,_makeSnapshot:!0});return p(n,e),n.runPython(m),t&&x(t,k(n)),{answer:n.globals.get("answer"),resumed:!1}}function p(e,t){e.FS.mkdirTree(o),e.unpackArchive(t,"zip",{extractDir:o})}async function y(e){if(!globalThis.caches||!crypto.subtle)return null;let t=new Uint8Array(await crypto.subtle.digest("SHA-256",e));return new URL(`memory-${w}-${Array.from(t,r=>r.toString(16).padStart(2,"0")).join("")}`,import.meta.url).href}async function h(e){try{let t=e&&await(await caches.open(c)).match(e);return t?new Uint8Array(await t.arrayBuffer()):null}catch{return null}}function k(e){try{return e.makeMemorySnapshot()}catch{return null}}async function x(e,t){try{await l(),t&&await(await caches.open(c)).put(e,new Response(t))}catch{}}async function l(){await caches.delete(c).catch(()=>{})}function S(e){return async t=>{let{default:r}=await import("./pyodide.asm.mjs"),a=await r(t);return a.HEAP8.length<e&&a._malloc(e),a}}onmessage=({data:e})=>{i.set(e.figure,e),u.then(()=>setTimeout(A),()=>{})};async function A(){let{answer:e}=await u,[t]=i.values();if(!t)return;i.delete(t.figure);let{figure:r,id:a,text:n,input:s}=t;try{postMessage({figure:r,found:{...JSON.parse(e(JSON.stringify(t))),text:n,input:s,asked:a}})}catch(d){postMessage({failed:`it cannot go on: ${d}`})}}
