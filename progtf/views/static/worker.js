import{loadPyodide as l,version as m}from"./pyodide.mjs";var o="/progtf",h=`
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
`,c="progtf",d="progtf-sha256",i=new Map,u=y();u.then(({resumed:e})=>postMessage({ready:!0,resumed:e}),e=>postMessage({failed:String(e)}));async function y(){let e=await fetch(new URL("progtf.zip",import.meta.url)).then(s=>s.arrayBuffer()),t=await k(e),r=await S(t),a=new URL(".",import.meta.url).href;if(r)try{let s=await l({indexURL:a,_loadSnapshot:r,createPyodideModule:M(r.length)});return p(s,e),{answer:s.globals.get("answer"),resumed:!0}}catch{await w()}let n=await l({indexURL:a,_makeSnapshot:!0});return p(n,e),n.runPython(h),t&&A(t,x(n)),{answer:n.globals.get("answer"),resumed:!1}}function p(e,t){e.FS.mkdirTree(o),e.unpackArchive(t,"zip",{extractDir:o})}async function k(e){return!globalThis.caches||!crypto.subtle?null:new URL(`memory-${m}-${await f(e)}`,import.meta.url).href}async function f(e){let t=new Uint8Array(await crypto.subtle.digest("SHA-256",e));return Array.from(t,r=>r.toString(16).padStart(2,"0")).join("")}async function S(e){try{let t=e&&await(await caches.open(c)).match(e),r=t?new Uint8Array(await t.arrayBuffer()):null;return r&&t.headers.get(d)===await f(r)?r:null}catch{return null}}function x(e){try{return e.makeMemorySnapshot()}catch{return null}}async function A(e,t){try{if(await w(),!t)return;let r={[d]:await f(t)};await(await caches.open(c)).put(e,new Response(t,{headers:r}))}catch{}}async function w(){await caches.delete(c).catch(()=>{})}function M(e){return async t=>{let{default:r}=await import("./pyodide.asm.mjs"),a=await r(t);return a.HEAP8.length<e&&a._malloc(e),a}}onmessage=({data:e})=>{i.set(e.figure,e),u.then(()=>setTimeout(T),()=>{})};async function T(){let{answer:e}=await u,[t]=i.values();if(!t)return;i.delete(t.figure);let{figure:r,id:a,text:n,input:s}=t;try{postMessage({figure:r,found:{...JSON.parse(e(JSON.stringify(t))),text:n,input:s,asked:a}})}catch(g){postMessage({failed:`it cannot go on: ${g}`})}}
