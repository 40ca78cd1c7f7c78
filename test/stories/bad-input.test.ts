import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { aGateway, type Gateway, PHONE } from '../support/gateway.ts';
import { type HostileRequest, hostileRequests } from '../support/hostile.ts';
import { NEVER_FULL } from '../support/limits.ts';
import { eachStore } from '../support/stores.ts';

/** Rows that would end the story: the session goes with them. */
const LAST = ['logout', 'deleteSession', 'logOutSession'];

eachStore('bad input', (kind) => {
  it('in any field of any endpoint is refused with a code, and breaks nothing', async (t) => {
    const gateway = await aGateway(t, { kind, limits: NEVER_FULL });
    const acme = await gateway.signUp();
    const desk = await acme.linked(PHONE);
    const rows = gateway.node.http.rows.filter(({ id }) => !LAST.includes(id));
    let count = 0;
    for (const hostile of hostileRequests(rows, { sessionId: desk.id })) {
      const { status, body } = await gateway.during(send(gateway, acme.tokens.token, hostile));
      const shown = `${hostile.title} → ${status} ${body.slice(0, 200)}`;
      assert.ok(status < 500, shown);
      if (hostile.mustRefuse) assert.ok(status >= 400, shown);
      if (status >= 400) assert.match(JSON.parse(body).code, /^[A-Z_]+$/, shown);
      count += 1;
    }
    assert.ok(count > 1_000, `${count} requests`);
    assert.equal(await desk.status(), 'connected');
    assert.equal(
      (await acme.api('GET', `${desk.path}/messages`)).body.messages.filter(
        ({ direction }: { direction: string }) => direction === 'inbound',
      ).length,
      0,
    );
  });
});

function send(
  gateway: Gateway,
  token: string,
  { request: { method, path, body, type } }: HostileRequest,
): Promise<{ status: number; body: string }> {
  const headers = {
    authorization: `Bearer ${token}`,
    'x-admin-secret': gateway.node.secrets.admin,
    ...(type !== undefined && { 'content-type': type }),
    // Node's client frames a DELETE's body only when it is told to.
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
  };
  const { hostname, port } = new URL(gateway.node.url);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname, port, method, path, headers }, async (response) => {
      resolve({ status: response.statusCode ?? 0, body: await text(response) });
    });
    sent.on('error', reject).end(body);
  });
}
