/**
 * Keeps a release's OpenAPI document, so that a test can detect changes that break clients.
 *
 * Reads the document of a running gateway and writes what that test compares: paths, events and
 * schemas without texts, examples, headers and refusals, to
 * `test/http/openapi/releases/<version>.json`.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const TEXTS = new Set(['description', 'example', 'examples', 'summary', 'tags', 'title', 'security', 'headers', 'deprecated']);
/** The children of these keys are our own names, not keywords. */
const NAMED = new Set(['properties', 'schemas', 'dependentRequired', 'responses']);

function bare(value: unknown, named = false): unknown {
  if (Array.isArray(value)) return value.map((one) => bare(one));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => named || !(TEXTS.has(key) || key.startsWith('x-')));
  return Object.fromEntries(kept.filter(([key]) => !/^[45]\d\d$/.test(key)).map(([key, child]) => [key, bare(child, NAMED.has(key))]));
}

const address = process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080';
const document = await fetch(`${address}/openapi.json`);
const { paths, webhooks, components } = JSON.parse(await document.text());
const root = join(import.meta.dirname, '../..');
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const folder = join(root, 'test/http/openapi/releases');
await mkdir(folder, { recursive: true });
const { schemas, parameters } = components;
await writeFile(join(folder, `${version}.json`), `${JSON.stringify(bare({ paths, webhooks, components: { schemas, parameters } }))}\n`);
console.log(`kept the API of ${version}`);
