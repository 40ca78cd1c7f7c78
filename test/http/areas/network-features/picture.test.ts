import assert from 'node:assert/strict';
import { request } from 'node:http';
import { it } from 'node:test';
import { aGateway } from '../../../support/gateway.ts';
import { embedded } from '../../../support/stores.ts';

/** Number of uploads of one tenant that a node reads at a time, and of those that may wait. */
const [READ, WAITING] = [8, 32];
const JPEG = Buffer.from('ffd8ffe000104a464946', 'hex');

for (const path of ['account/picture', 'groups/120363000000000001@g.us/picture']) {
  it(`stalled picture uploads count towards the business's upload limit: ${path}`, async (t) => {
    const gateway = await aGateway(t, { kind: embedded });
    const { api, tokens } = await gateway.signUp();
    const { id } = (await api('POST', '/v1/sessions', { name: 'Shop' })).body;
    const url = `${gateway.node.url}/v1/sessions/${id}/${path}`;
    const headers = { authorization: `Bearer ${tokens.token}`, 'content-type': 'image/jpeg' };
    const slow = Array.from({ length: READ }, () => {
      const sent = request(url, { method: 'PUT', headers: { ...headers, 'content-length': 700_000 } }).on('error', () => {});
      sent.write(JPEG);
      return sent;
    });
    const whole = WAITING + 20;
    const codes: string[] = [];
    const hangUp = new AbortController();
    const put = async (): Promise<void> => {
      const answer = await fetch(url, { method: 'PUT', headers, body: JPEG, signal: hangUp.signal });
      codes.push(((await answer.json()) as { code: string }).code);
    };
    const sent = Array.from({ length: whole }, put);
    await gateway.until('one is refused, or all are read', () => codes.includes('OVERLOADED') || codes.length === whole);
    for (const one of slow) one.destroy();
    // Each picture that waits would be converted by a process of its own.
    hangUp.abort();
    await Promise.allSettled(sent);
    assert.ok(codes.includes('OVERLOADED'), codes.join(' '));
  });

  it(`invalid picture fields in a JSON body are named in the error: ${path}`, async (t) => {
    const gateway = await aGateway(t, { kind: embedded });
    const { api } = await gateway.signUp();
    const { id } = (await api('POST', '/v1/sessions', { name: 'Shop' })).body;
    const put = async (body: unknown) => (await api('PUT', `/v1/sessions/${id}/${path}`, body)).body;
    const { error, details } = await put({ media_key: 'med_01JZX5ZB4T8QKX3N9V7C2M6D1E' });
    assert.match(error, /media_key is not a known field/);
    assert.deepEqual(
      details.map(({ path: field }: { path: string }) => field),
      ['media_r2_key', 'media_key'],
    );
    assert.equal((await put({ media_r2_key: 'none' })).code, 'NOT_FOUND');
  });

  it(`uploaded pictures that the network rejects are deleted, but earlier pictures are kept: ${path}`, async (t) => {
    const gateway = await aGateway(t, { kind: embedded });
    const { api, tokens } = await gateway.signUp();
    const { id } = (await api('POST', '/v1/sessions', { name: 'Shop' })).body;
    const sent = async (method: string, to: string) => {
      const headers = { authorization: `Bearer ${tokens.token}`, 'content-type': 'image/jpeg' };
      return (await (await fetch(`${gateway.node.url}${to}`, { method, headers, body: JPEG })).json()) as { code: string; key: string };
    };
    const { key } = await sent('POST', '/v1/media/upload');
    assert.equal((await sent('PUT', `/v1/sessions/${id}/${path}`)).code, 'NOT_CONNECTED');
    assert.equal((await api('PUT', `/v1/sessions/${id}/${path}`, { media_r2_key: key })).body.code, 'NOT_CONNECTED');
    assert.deepEqual(
      (await api('GET', '/v1/media')).body.media.map((one: { key: string }) => one.key),
      [key],
    );
  });
}
