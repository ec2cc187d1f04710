import{loadPyodide as d}from"./pyodide.mjs";var s="/progtf",f=`
import json, os, sys
sys.path.insert(0, "${s}")
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

answer
`,n=new Map,a=p();a.then(()=>postMessage({ready:!0}),e=>postMessage({failed:String(e)}));async function p(){let e=fetch(new URL("progtf.zip",import.meta.url)).then(r=>r.arrayBuffer()),t=await d({indexURL:new URL(".",import.meta.url).href});return t.FS.mkdirTree(s),t.unpackArchive(await e,"zip",{extractDir:s}),t.runPython(f)}onmessage=({data:e})=>{n.set(e.figure,e),a.then(()=>setTimeout(c),()=>{})};async function c(){let e=await a,[t]=n.values();if(!t)return;n.delete(t.figure);let{figure:r,id:o,text:i,input:u}=t;postMessage({figure:r,found:{...JSON.parse(e(JSON.stringify(t))),text:i,input:u,asked:o}})}
