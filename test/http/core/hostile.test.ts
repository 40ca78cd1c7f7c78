import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { bind } from '../../../http/core/bind.ts';
import type { RowFacts } from '../../../http/core/engine.ts';
import { type HostileRequest, hostileRequests } from '../../support/hostile.ts';
import { aServer, as, sample } from '../../support/http-sample.ts';
import { NEVER_FULL } from '../../support/limits.ts';

const facts: readonly RowFacts[] = bind(sample, { inside: () => undefined }).rows.map((row) => row.facts);

function send(url: string, { request: { method, path, body, type } }: HostileRequest): Promise<{ status: number; text: string }> {
  const headers = { ...as('owner'), 'x-admin-secret': 'secret', ...(type !== undefined && { 'content-type': type }) };
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname, port, method, path, headers }, async (response) => {
      resolve({ status: response.statusCode ?? 0, text: await text(response) });
    });
    sent.on('error', reject).end(body);
  });
}

it('every operation rejects hostile input with an error code, and the gateway keeps working', async () => {
  await using web = await aServer({ limits: NEVER_FULL });
  let count = 0;
  for (const hostile of hostileRequests(facts, { sessionId: 'D1' })) {
    if (hostile.row.id === 'wrong') continue;
    const answer = await send(web.server.url, hostile);
    const shown = `${hostile.title} → ${answer.status} ${answer.text.slice(0, 200)}`;
    assert.ok(answer.status < 500, shown);
    if (hostile.mustRefuse) assert.ok(answer.status >= 400, shown);
    if (answer.status >= 400) assert.match(JSON.parse(answer.text).code, /^[A-Z_]+$/, shown);
    count++;
  }
  assert.ok(count > 250, `${count} requests`);
  assert.equal(web.lines.filter(({ level }) => Number(level) >= 50).length, 0);
});

it('the generator of hostile input covers every operation and every field', () => {
  const titles = [...hostileRequests(facts)].map(({ title }) => title);
  for (const row of facts)
    assert.ok(
      titles.some((title) => title.startsWith(`${row.id}: `)),
      row.id,
    );
  for (const field of ['type', 'body', 'lat', 'loud', 'tags', 'tags.0', 'by', 'by.name', 'by.at']) {
    assert.ok(titles.includes(`send: ${field} is {"$gt":""}`), field);
  }
});
