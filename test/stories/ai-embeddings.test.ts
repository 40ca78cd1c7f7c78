import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type AiShop, anAiShop } from '../actors/services/ai-reply/ai-fixture.ts';
import { type EngineDouble, engineDouble, SILENCE } from '../actors/services/ai-reply/engine-double.ts';
import { eachStore } from '../support/stores.ts';

const DOCUMENTS = '/v1/ai-reply/documents';
const QUESTION = 'garansi mesin jahit berapa tahun?';
/** By their words the first is nearer; by what they say, the second. */
const GUIDE = `# Mesin jahit lama

Garansi mesin jahit: tahun garansi mesin jahit tertulis di kartu, dan kartunya berwarna biru.

# Mesin jahit baru

Untuk pembeli mesin jahit model baru, garansi dari pabrik berlaku dua tahun sejak tanggal yang tertulis pada nota pembelian di toko kami.
`;

const asked = async ({ gateway, api }: AiShop) => (await gateway.during(api('POST', '/v1/ai-reply/ask', { question: QUESTION }))).body;

async function uploaded({ gateway, tenant, api }: AiShop, name: string, text: string): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([text]), name);
  const headers = { authorization: `Bearer ${tenant.tokens.token}` };
  const answer = await fetch(`${gateway.node.url}${DOCUMENTS}`, { method: 'POST', headers, body: form });
  const { id }: { id: string } = JSON.parse(await answer.text());
  for (;;) {
    if ((await api('GET', `${DOCUMENTS}/${id}`)).body.status === 'ready') return id;
    await gateway.clock.advance(5);
    await pause(10);
  }
}

/** What the first of the passages says that the model was given last. */
const firstGiven = ({ asked: calls }: EngineDouble): string => calls.at(-1)?.passages[0] ?? '';

eachStore('embeddings for AI replies', (kind) => {
  it('rank passages by meaning, and are replaced by word matching if the engine fails', async (t) => {
    const engine = await engineDouble(t);
    engine.vector = (text) => (/pabrik|\?/.test(text) ? [1, 0.1, 0] : [0, 0.1, 1]);
    const config = { ai_url: engine.url, ai_model: 'small', ai_embedding_model: 'places' };
    const shop = await anAiShop(t, kind, config, { threshold: 0.3 });
    const { gateway, api } = shop;
    gateway.clock.waitWhile(engine.isBusy, 'the engine');
    const id = await uploaded(shop, 'panduan.markdown', GUIDE);
    await shop.eventually('its passages are placed', async () => {
      await asked(shop);
      return engine.embedded.includes(QUESTION) && firstGiven(engine).includes('dua tahun');
    });
    assert.ok(
      engine.embedded.every((text) => text === QUESTION || text.startsWith('panduan.markdown')),
      'nothing else is placed',
    );

    // What nothing is known about is not shown to it.
    const calls = engine.embedded.length;
    await gateway.during(api('POST', '/v1/ai-reply/ask', { question: 'ada lowongan kerja?' }));
    assert.equal(engine.embedded.length, calls);

    for (const [why, vectors] of [
      ['it has none', () => ({ status: 404 })],
      ['not a number', () => '{"data":[{"index":0,"embedding":[null,1,0]}]}'],
      ['fewer than asked for', () => '{"data":[]}'],
    ] as const) {
      engine.vectors = vectors;
      assert.match((await asked(shop)).answer ?? '', /kartu/, why);
    }
    engine.vectors = () => '{"data":[{"index":0,"embedding":[1,0]}]}';
    assert.match((await asked(shop)).answer ?? '', /kartu/, 'another dimension');
    engine.vectors = () => SILENCE;
    assert.match((await asked(shop)).answer ?? '', /kartu/, 'it never answers');
    // After four failures in a row it is left alone, and believed again later.
    let tries = 0;
    engine.vectors = () => {
      tries += 1;
      return { status: 401 };
    };
    for (let question = 0; question < 6; question += 1) await asked(shop);
    assert.ok(tries <= 4, `${tries} tries`);
    assert.ok((await api('GET', '/v1/ai-reply')).body.engine.ready, 'the model itself is well');
    engine.vectors = null;
    await gateway.clock.advance(31_000);
    assert.match((await asked(shop)).answer ?? '', /dua tahun/);

    assert.equal((await api('DELETE', `${DOCUMENTS}/${id}`)).status, 200);
    assert.equal((await asked(shop)).answer, null);
  });
});
