import{loadPyodide as f,version as l}from"./pyodide.mjs";var o="/progtf",m=`
import json, os, sys
sys.path.insert(0, "${o}")
sys.dont_write_bytecode = True
from pathlib import Path
from progtf.views.editor import examine

def answer(request):
    asked = json.loads(request)
    folder = Path("/figures") / str(asked["figure"])
    for name, text in asked["files"].items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    found = examine(asked["text"], asked["name"], folder, [asked["input"] or ""])
    return json.dumps(found)

examine("semes: a\\nlexicon:\\n  x: +a\\nlayer:\\n  feedforward:\\n    a: a\\n", "warm.seme", None)
None
`,c="progtf",i=new Map,u=w();u.then(({resumed:e})=>postMessage({ready:!0,resumed:e}),e=>postMessage({failed:String(e)}));async function w(){let e=await fetch(new URL("progtf.zip",import.meta.url)).then(s=>s.arrayBuffer()),t=await y(e),a=await h(t),n=new URL(".",import.meta.url).href;if(a)try{let s=await f({indexURL:n,_loadSnapshot:a,createPyodideModule:x(a.length)});return p(s,e),{answer:s.globals.get("answer"),resumed:!0}}catch{await d()}let r=await f({indexURL:n,_makeSnapshot:!0});return p(r,e),r.runPython(m),t&&k(t,g(r)),{answer:r.globals.get("answer"),resumed:!1}}function p(e,t){e.FS.mkdirTree(o),e.unpackArchive(t,"zip",{extractDir:o})}async function y(e){if(!globalThis.caches||!crypto.subtle)return null;let t=new Uint8Array(await crypto.subtle.digest("SHA-256",e));return new URL(`memory-${l}-${Array.from(t,a=>a.toString(16).padStart(2,"0")).join("")}`,import.meta.url).href}async function h(e){try{let t=e&&await(await caches.open(c)).match(e);return t?new Uint8Array(await t.arrayBuffer()):null}catch{return null}}function g(e){try{return e.makeMemorySnapshot()}catch{return null}}async function k(e,t){try{await d(),t&&await(await caches.open(c)).put(e,new Response(t))}catch{}}async function d(){await caches.delete(c).catch(()=>{})}function x(e){return async t=>{let{default:a}=await import("./pyodide.asm.mjs"),n=await a(t);return n.HEAP8.length<e&&n._malloc(e),n}}onmessage=({data:e})=>{i.set(e.figure,e),u.then(()=>setTimeout(S),()=>{})};async function S(){let{answer:e}=await u,[t]=i.values();if(!t)return;i.delete(t.figure);let{figure:a,id:n,text:r,input:s}=t;postMessage({figure:a,found:{...JSON.parse(e(JSON.stringify(t))),text:r,input:s,asked:n}})}
