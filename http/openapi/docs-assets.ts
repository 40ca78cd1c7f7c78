/** The docs page's script. It must never turn text into markup. */
export const SCRIPT = `
const field = document.getElementById('search');
field.addEventListener('input', () => {
  const wanted = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const has = (text) => wanted.every((word) => text.toLowerCase().includes(word));
  for (const one of document.querySelectorAll('article')) one.hidden = !has(one.textContent);
  for (const one of document.querySelectorAll('nav details')) {
    const links = [...one.querySelectorAll('li')];
    for (const link of links) link.hidden = document.getElementById(link.firstChild.hash.slice(1)).hidden;
    one.hidden = links.every((link) => link.hidden);
    one.open = wanted.length > 0 && !one.hidden;
  }
});

const languages = [...document.querySelectorAll('.languages button')];
const speak = (lang) => {
  document.documentElement.dataset.lang = lang;
  document.documentElement.lang = lang;
  for (const button of languages) button.setAttribute('aria-pressed', String(button.value === lang));
};
for (const button of languages) button.addEventListener('click', () => speak(button.value));
speak(navigator.language.startsWith('id') ? 'id' : 'en');

const make = (name, fields, ...children) => {
  const one = Object.assign(document.createElement(name), fields);
  one.append(...children);
  return one;
};
const key = document.getElementById('key');
for (const box of document.querySelectorAll('details.try'))
  box.addEventListener('toggle', () => offer(box, JSON.parse(box.dataset.call)), { once: true });

/** A form for one operation; nothing is sent before its button is pressed. */
function offer(box, { method, path, auth, parameters, body }) {
  const fields = parameters.map(([name, where, required]) => ({ name, where, input: make('input', { autocomplete: 'off', spellcheck: false, required }) }));
  const text = body === undefined ? null : make('textarea', { value: JSON.stringify(body, null, 2), spellcheck: false });
  const send = make('button', { type: 'button', textContent: method + ' ' + path });
  const said = make('pre', { tabIndex: 0 });
  said.setAttribute('role', 'status');
  for (const { name, where, input } of fields)
    box.append(make('label', {}, name + ' (' + where + (input.required ? ', required)' : ')'), input));
  if (text) box.append(make('label', {}, 'Body', text));
  box.append(send, said);
  send.addEventListener('click', async () => {
    const missing = fields.find(({ input }) => input.required && input.value === '');
    if (missing) return missing.input.focus();
    if (auth && key.value === '') return key.focus();
    send.disabled = true;
    said.textContent = '…';
    said.textContent = await answerTo(method, path, auth, fields, text).catch((cause) => String(cause));
    send.disabled = false;
  });
}

async function answerTo(method, path, auth, fields, text) {
  const of = (place) => fields.filter(({ where, input }) => where === place && input.value !== '');
  let address = path;
  for (const { name, input } of of('path')) address = address.replace(new RegExp('\\\\{' + name + '[^}]*\\\\}'), encodeURIComponent(input.value));
  const query = new URLSearchParams(of('query').map(({ name, input }) => [name, input.value])).toString();
  const headers = Object.fromEntries(of('header').map(({ name, input }) => [name, input.value]));
  if (auth) headers.Authorization = 'Bearer ' + key.value.trim();
  if (text) headers['Content-Type'] = 'application/json';
  const answer = await fetch(address + (query && '?' + query), { method, headers, credentials: 'omit', cache: 'no-store', redirect: 'manual', ...(text && { body: text.value }) });
  const type = answer.headers.get('content-type') ?? '';
  const bytes = await answer.arrayBuffer();
  const plain = /json|text|csv/.test(type) ? new TextDecoder().decode(bytes) : bytes.byteLength + ' bytes of ' + (type || 'no type');
  const shown = /json/.test(type) ? JSON.stringify(JSON.parse(plain), null, 2) : plain;
  return answer.status + ' ' + answer.statusText + '\\n' + shown;
}
`;

export const STYLE = `
:root{color-scheme:light dark;--line:#8884;--soft:#f4f4f5;--page:#fff;--text:#18181b;--link:#1d4ed8;--mark:#b91c1c}
@media(prefers-color-scheme:dark){:root{--soft:#1f1f22;--page:#121214;--text:#f4f4f5;--link:#93c5fd;--mark:#f87171}}
html{background:var(--page);color:var(--text)}main a{color:var(--link)}
body{margin:0;font:16px/1.55 system-ui,sans-serif;display:grid;grid-template-columns:17rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1rem;box-sizing:border-box;border-right:1px solid var(--line);font-size:.85rem}
nav>p{font-size:1.1rem;font-weight:700;margin:0 0 .5rem}nav li{padding:.15rem 0;min-height:1.5rem}nav summary{text-transform:capitalize;cursor:pointer}nav label input{width:100%;box-sizing:border-box;font:inherit}nav ul{list-style:none;margin:0;padding:0}
nav a{color:inherit;text-decoration:none}nav a:hover{text-decoration:underline}
main{padding:1.5rem 2rem;max-width:60rem}section>h2{margin-top:3rem;text-transform:capitalize;border-bottom:1px solid var(--line)}
article{margin:2rem 0}h3{font-size:1rem;margin-bottom:0}h3 b,nav b{font-size:.7rem;padding:.1rem .35rem;border-radius:.3rem;background:#1d4ed8;color:#fff}
b.post{background:#166534!important}b.put,b.patch{background:#92400e!important}b.delete{background:#991b1b!important}summary{cursor:pointer}[hidden]{display:none}
h4{margin:.8rem 0 .2rem;font-size:.85rem}table{border-collapse:collapse;width:100%;font-size:.85rem}
td{border-top:1px solid var(--line);padding:.25rem .6rem .25rem 0;vertical-align:top;overflow-wrap:anywhere}td:first-child{white-space:nowrap}td i{color:var(--mark)}
code,pre{font:.85em ui-monospace,monospace}pre{background:var(--soft);padding:.7rem;border-radius:.4rem;overflow:auto}
details{font-size:.85rem;margin:.4rem 0}
.skip{position:absolute;left:-99rem}.skip:focus{left:.5rem;top:.5rem;background:Canvas;padding:.5rem;z-index:1}
html[data-lang=en] [lang=id],html[data-lang=id] body [lang=en]{display:none}
nav>.languages{font-size:.85rem;font-weight:400}.languages button{font:inherit;padding:.2rem .6rem;min-height:1.75rem;background:none;color:inherit;border:1px solid var(--line);border-radius:.3rem}.languages button[aria-pressed=true]{background:var(--text);color:var(--page)}
.try label{display:block;margin:.4rem 0}.try input,.try textarea,#key{display:block;width:100%;max-width:40rem;box-sizing:border-box;font:.9rem ui-monospace,monospace;padding:.3rem}
.try textarea{min-height:9rem}.try button{font:inherit;min-height:2rem;padding:.2rem 1rem}.try pre{max-height:24rem}summary{min-height:1.5rem}
@media(max-width:50rem){body{display:block}nav{position:static;height:auto;max-height:60vh;border:0;border-bottom:1px solid var(--line)}main{padding:1rem}td:first-child{white-space:normal}td{overflow-wrap:anywhere;word-break:break-word}code{overflow-wrap:anywhere}h3,h2{overflow-wrap:anywhere}}
`;

export const GUIDE_STYLE = `${STYLE}
nav .group{font-size:.85rem;margin:1rem 0 .2rem}nav a[aria-current]{font-weight:700}
main h1{line-height:1.2}main h2{margin-top:2.5rem;border-bottom:1px solid var(--line)}main h3{font-size:1.05rem;margin-top:1.5rem}
.wide{overflow-x:auto}th{text-align:start;padding:.25rem .6rem .25rem 0}td:first-child{white-space:normal}main img{max-width:100%;height:auto}
.found li{margin:.8rem 0}
`;
