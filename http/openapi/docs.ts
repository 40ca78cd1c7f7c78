import { REFUSALS } from '../../actors/domain/refusals.ts';
import type { BoundArea } from '../core/bind.ts';
import type { RowFacts } from '../core/engine.ts';
import type { EventFacts } from '../core/row.ts';
import { type Sample, samplesOf } from './code-samples.ts';
import { SCRIPT, STYLE } from './docs-assets.ts';
import { both, guide, sectionTitle } from './guide.ts';
import { inTurns } from './in-turns.ts';
import { fieldsOf, itemsOf, type JsonSchema, jsonSchemaOf, requiredOf } from './json-schema.ts';
import { hashOf, html, type Markup, type Page, raw, render } from './markup.ts';
import { eventExample, type Parameter, parametersOf, requestExample } from './openapi.ts';
import { accessText, codesOf } from './row-facts.ts';

export async function docsPage(areas: readonly BoundArea[], address: string, now: number): Promise<Page> {
  const shown = { address, now };
  const events = await inTurns(
    areas.flatMap(({ events }) => events),
    eventLines,
  );
  const sections: Markup[] = [];
  for (const area of areas) {
    const articles = await inTurns(area.rows, ({ facts }) => article(facts, shown));
    sections.push(html`<section><h2>${area.name}</h2><p>${area.about}</p>${articles}</section>`);
  }
  return {
    html: render(page({ areas, address, events, sections })),
    policy: `default-src 'none'; style-src '${hashOf(STYLE)}'; script-src '${hashOf(SCRIPT)}'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}

interface Shown {
  readonly address: string;
  readonly now: number;
}

interface Reference {
  readonly areas: readonly BoundArea[];
  readonly address: string;
  readonly events: readonly Markup[];
  readonly sections: readonly Markup[];
}

function page({ areas, address, events, sections }: Reference): Markup {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Business Messaging Gateway</title><style>${raw(STYLE)}</style></head><body>
<a class="skip" href="#main">Skip to the reference</a>
<nav aria-label="Contents"><p>Gateway</p><p class="small"><a href="/docs/">Guides</a></p><p class="languages"><button type="button" value="en">English</button> <button type="button" value="id">Bahasa Indonesia</button></p><label>Search <input id="search" type="search" autocomplete="off"></label>
<ul>${GUIDE.map((id) => html`<li><a href="#${id}">${sectionTitle(id)}</a></li>`)}</ul>
${areas.map(contents)}</nav>
<main id="main"><h1>Business Messaging Gateway</h1>
${both(
  html`<p>Base address <code>${address}</code>. Bodies are JSON. Timestamps are Unix epoch milliseconds. Machine-readable versions:
<a href="/openapi.json">openapi.json</a>, <a href="/llms.txt">llms.txt</a>.</p>
<p>Send <code>Authorization: Bearer &lt;token&gt;</code> with a login's token or an API key. Every response has <code>X-Request-Id</code> and
<code>RateLimit-Limit</code>, <code>-Remaining</code>, <code>-Reset</code>. Errors are <code>{"error", "code"}</code>; add <code>?lang=id</code> for Indonesian.</p>`,
  html`<p>Alamat dasar <code>${address}</code>. Isi permintaan dan jawaban berupa JSON. Waktu ditulis dalam milidetik sejak epoch Unix. Versi untuk mesin:
<a href="/openapi.json">openapi.json</a>, <a href="/llms.txt">llms.txt</a>.</p>
<p>Kirim <code>Authorization: Bearer &lt;token&gt;</code> dengan token login atau kunci API. Setiap respons memiliki <code>X-Request-Id</code> dan
<code>RateLimit-Limit</code>, <code>-Remaining</code>, <code>-Reset</code>. Galat berbentuk <code>{"error", "code"}</code>; tambahkan <code>?lang=id</code> untuk bahasa Indonesia.</p>`,
)}
<p><label for="key"><span lang="en">Your token or API key, for “Try it”. It stays in this page and is sent to this gateway only.</span>
<span lang="id">Token atau kunci API Anda, untuk “Try it”. Nilai ini tetap di halaman ini dan hanya dikirim ke gateway ini.</span></label>
<input id="key" type="password" autocomplete="off" spellcheck="false"></p>
${guide(address)}
<section id="events"><h2>${sectionTitle('events')}</h2>${events}</section>
<section id="errors"><h2>${sectionTitle('errors')}</h2><table>${Object.entries(REFUSALS).map(([code, { status, en, id }]) => html`<tr><td>${status}</td><td><code>${code}</code></td><td><span lang="en">${en}</span> <span lang="id">${id}</span></td></tr>`)}</table></section>
${sections}
</main><script>${raw(SCRIPT)}</script></body></html>`;
}

const GUIDE = ['quick-start', 'webhooks', 'limits', 'events', 'errors'] as const;

const method = (name: string): Markup => html`<b class="${name.toLowerCase()}">${name}</b>`;

function contents({ name, rows }: BoundArea): Markup {
  const line = ({ facts }: BoundArea['rows'][number]): Markup =>
    html`<li><a href="#${facts.id}">${method(facts.method)} ${facts.summary}</a></li>`;
  return html`<details><summary>${name}</summary><ul>${rows.map(line)}</ul></details>`;
}

function eventLines(event: EventFacts): Markup {
  const example = JSON.stringify(eventExample(event), null, 2);
  return html`<details><summary><code>${event.type}</code> ${event.about}</summary>${fieldTable(jsonSchemaOf(event.data))}<pre tabindex="0">${example}</pre></details>`;
}

function article(row: RowFacts, shown: Shown): Markup {
  return html`<article id="${row.id}"><h3>${method(row.method)} ${row.summary}</h3><p><code>${row.path}</code></p>
<p>${row.about ? html`${words(row.about)}. ` : ''}${words(accessText(row))}</p>
<details><summary>Fields</summary>${parameterTable(parametersOf(row))}${bodyTables(row)}
<h4>Answer <span>${row.status}</span></h4>${fieldTable(jsonSchemaOf(row.returns))}</details>
<details><summary>Refusals</summary><ul>${codesOf(row).map((code) => html`<li>${REFUSALS[code].status} <code>${code}</code> ${REFUSALS[code].en}</li>`)}</ul></details>
${samplesOf(sampleOf(row, shown)).map(([language, code]) => html`<details><summary>${language}</summary><pre tabindex="0">${code}</pre></details>`)}${tryIt(row, shown)}</article>`;
}

/** Omits operator endpoints, because their secret must not be entered into a page. */
function tryIt(row: RowFacts, { now }: Shown): Markup | '' {
  if (row.access === 'operator' || row.bytes || row.produces?.includes('text/event-stream')) return '';
  const parameters = parametersOf(row)
    .filter(({ in: where }) => where !== 'cookie')
    .map(({ name, in: where, required }) => [name, where, required]);
  const body = row.body && requestExample(row, now);
  const call = JSON.stringify({ method: row.method, path: row.path, auth: row.access !== 'none', parameters, body });
  return html`<details class="try" data-call="${call}"><summary>Try it</summary></details>`;
}

function sampleOf(row: RowFacts, { address, now }: Shown): Sample {
  const credential = row.access === 'operator' ? (['X-Admin-Secret', 'ADMIN_SECRET'] as const) : (['Authorization', 'TOKEN'] as const);
  return {
    method: row.method,
    url: address + row.path,
    credential: row.access === 'none' ? null : credential,
    body: row.body && requestExample(row, now),
  };
}

function bodyTables({ body, bytes }: RowFacts): Markup | '' {
  const shape = body ?? bytes?.describedBy;
  if (!shape) return '';
  const schema = jsonSchemaOf(shape);
  const forms: readonly JsonSchema[] = Array.isArray(schema['anyOf']) && schema['type'] === undefined ? schema['anyOf'] : [schema];
  return html`<h4>Body</h4>${forms.map((form) => html`<p>${words(String(form['description'] ?? ''))}</p>${fieldTable(form)}`)}`;
}

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
