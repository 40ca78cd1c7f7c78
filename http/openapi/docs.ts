import { createHash } from 'node:crypto';
import { REFUSALS } from '../../actors/domain/refusals.ts';
import type { BoundArea } from '../core/bind.ts';
import type { RowFacts } from '../core/engine.ts';
import { exampleOf } from './example.ts';
import { fieldsOf, itemsOf, type JsonSchema, jsonSchemaOf, requiredOf } from './json-schema.ts';
import { html, type Markup, raw, render } from './markup.ts';
import { accessText, codesOf, type Parameter, parametersOf } from './openapi.ts';

/** The interface as one page that needs nothing from anywhere, and the security policy that lets it be no more than that. */
export function docsPage(areas: readonly BoundArea[], address: string): { readonly html: string; readonly policy: string } {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  return {
    html: render(page(areas, address)),
    policy: `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}

function page(areas: readonly BoundArea[], address: string): Markup {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Business Messaging Gateway</title><style>${raw(STYLE)}</style></head><body>
<nav><h1>Gateway</h1>${areas.map(contents)}<h2><a href="#errors">errors</a></h2></nav>
<main><h1>Business Messaging Gateway</h1>
<p>Base address <code>${address}</code>. Bodies are JSON. Timestamps are Unix epoch milliseconds. The same as a machine reads it:
<a href="/openapi.json">openapi.json</a>.</p>
<p>Send <code>Authorization: Bearer &lt;token&gt;</code> with a login's token or an API key. Every answer carries <code>X-Request-Id</code> and
<code>RateLimit-Limit</code>, <code>-Remaining</code>, <code>-Reset</code>. Errors are <code>{"error", "code"}</code>; add <code>?lang=id</code> for Indonesian.</p>
${areas.map((area) => section(area, address))}
<section id="errors"><h2>Errors</h2><table>${Object.entries(REFUSALS).map(([code, { status, en }]) => html`<tr><td>${status}</td><td><code>${code}</code></td><td>${en}</td></tr>`)}</table></section>
</main></body></html>`;
}

function contents({ name, rows }: BoundArea): Markup {
  return html`<h2>${name}</h2><ul>${rows.map(({ facts }) => html`<li><a href="#${facts.id}">${facts.summary}</a></li>`)}</ul>`;
}

function section({ name, about, rows }: BoundArea, address: string): Markup {
  return html`<section><h2>${name}</h2><p>${about}</p>${rows.map(({ facts }) => article(facts, address))}</section>`;
}

function article(row: RowFacts, address: string): Markup {
  return html`<article id="${row.id}"><h3><b class="${row.method.toLowerCase()}">${row.method}</b> <code>${row.path}</code></h3>
<p>${row.summary}. ${words(accessText(row))}</p>
${parameterTable(parametersOf(row))}${bodyTables(row)}
<h4>Answer <span>${row.status}</span></h4>${fieldTable(jsonSchemaOf(row.returns))}
<details><summary>Refusals</summary><ul>${codesOf(row).map((code) => html`<li>${REFUSALS[code].status} <code>${code}</code> ${REFUSALS[code].en}</li>`)}</ul></details>
<pre>${curl(row, address)}</pre></article>`;
}

/** One table for each form that a body may have. */
function bodyTables({ body, bytes }: RowFacts): Markup | '' {
  const shape = body ?? bytes?.describedBy;
  if (!shape) return '';
  const schema = jsonSchemaOf(shape);
  const forms: readonly JsonSchema[] = Array.isArray(schema['anyOf']) && schema['type'] === undefined ? schema['anyOf'] : [schema];
  return html`<h4>Body</h4>${forms.map((form) => html`<p>${words(String(form['description'] ?? ''))}</p>${fieldTable(form)}`)}`;
}

/** Text with `code` in it. */
function words(text: string): Markup[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

function parameterTable(list: readonly Parameter[]): Markup | '' {
  if (list.length === 0) return '';
  const line = ({ name, in: where, required, schema, description }: Parameter): Markup =>
    html`<tr><td><code>${name}</code>${mark(required)}</td><td>${where}, ${typeText(schema)}</td><td>${words(String(description ?? ''))}</td></tr>`;
  return html`<h4>Parameters</h4><table>${list.map(line)}</table>`;
}

function fieldTable(schema: JsonSchema): Markup {
  const lines = fieldLines(schema, '');
  return lines.length > 0 ? html`<table>${lines}</table>` : html`<p>${typeText(schema)}</p>`;
}

function fieldLines(schema: JsonSchema, prefix: string): Markup[] {
  const required = requiredOf(schema);
  return Object.entries(fieldsOf(schema)).flatMap(([name, child]) => {
    const path = prefix + name;
    const line = html`<tr><td><code>${path}</code>${mark(required.includes(name))}</td><td>${typeText(child)}</td><td>${words(String(child['description'] ?? ''))}</td></tr>`;
    return [line, ...fieldLines(child, `${path}.`), ...fieldLines(itemsOf(child), `${path}[].`)];
  });
}

const mark = (required: boolean): Markup | '' => (required ? html`<i title="required">*</i>` : '');

/** `string, 1–64 characters`, `"en" | "id"`, `integer, at least 1`. */
function typeText(schema: JsonSchema): string {
  const { enum: values, anyOf, type, items } = schema;
  if (Array.isArray(values)) return [values.map((value) => JSON.stringify(value)).join(' | '), ...limits(schema)].join(', ');
  if (Array.isArray(anyOf) && type === undefined) return anyOf.map(typeText).join(' or ');
  const names = [type ?? 'any'].flat().join(' | ');
  const of = items ? ` of ${typeText(itemsOf(schema))}` : '';
  return [names + of, ...limits(schema)].join(', ');
}

const LIMITS: readonly (readonly [name: string, say: (limit: unknown) => string])[] = [
  ['minLength', (limit) => `at least ${limit} characters`],
  ['maxLength', (limit) => `at most ${limit} characters`],
  ['minimum', (limit) => `at least ${limit}`],
  ['maximum', (limit) => `at most ${limit}`],
  ['minItems', (limit) => `at least ${limit} items`],
  ['maxItems', (limit) => `at most ${limit} items`],
  ['pattern', (source) => `matches ${source}`],
  ['format', (name) => `${name}`],
  ['default', (value) => `default ${JSON.stringify(value)}`],
];

function limits(schema: JsonSchema): string[] {
  return LIMITS.filter(([name]) => schema[name] !== undefined).map(([name, say]) => say(schema[name]));
}

function curl(row: RowFacts, address: string): string {
  const parts = [`curl ${row.method === 'GET' ? '' : `-X ${row.method} `}'${address}${row.path}'`];
  if (row.access === 'operator') parts.push(`-H "X-Admin-Secret: $ADMIN_SECRET"`);
  else if (row.access !== 'none') parts.push(`-H "Authorization: Bearer $TOKEN"`);
  if (row.body)
    parts.push(`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(exampleOf(jsonSchemaOf(row.body))).replaceAll("'", "'\\''")}'`);
  return parts.join(' \\\n  ');
}

const STYLE = `
:root{color-scheme:light dark;--line:#8884;--soft:#8881}
body{margin:0;font:16px/1.55 system-ui,sans-serif;display:grid;grid-template-columns:17rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1rem;box-sizing:border-box;border-right:1px solid var(--line);font-size:.85rem}
nav h1{font-size:1.1rem;margin:0}nav h2{font-size:.8rem;margin:1rem 0 .2rem;text-transform:capitalize}nav ul{list-style:none;margin:0;padding:0}
nav a{color:inherit;text-decoration:none}nav a:hover{text-decoration:underline}
main{padding:1.5rem 2rem;max-width:60rem}section>h2{margin-top:3rem;text-transform:capitalize;border-bottom:1px solid var(--line)}
article{margin:2rem 0}h3{font-size:1rem;margin-bottom:0}h3 b{font-size:.75rem;padding:.15rem .45rem;border-radius:.3rem;background:#2563eb;color:#fff}
h3 b.post{background:#15803d}h3 b.put,h3 b.patch{background:#b45309}h3 b.delete{background:#b91c1c}
h4{margin:.8rem 0 .2rem;font-size:.85rem}table{border-collapse:collapse;width:100%;font-size:.85rem}
td{border-top:1px solid var(--line);padding:.25rem .6rem .25rem 0;vertical-align:top;overflow-wrap:anywhere}td:first-child{white-space:nowrap}td i{color:#dc2626}
code,pre{font:.85em ui-monospace,monospace}pre{background:var(--soft);padding:.7rem;border-radius:.4rem;overflow:auto}
details{font-size:.85rem;margin:.5rem 0}
@media(max-width:50rem){body{display:block}nav{position:static;height:auto;border:0}}
`;
