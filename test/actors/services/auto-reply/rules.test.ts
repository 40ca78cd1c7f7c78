import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRule, RULE_DEFAULTS, rulesOf } from '../../../../actors/services/auto-reply/rules.ts';
import { autoRepliesIn, type RuleRow } from '../../../../store/auto-reply/auto-replies.ts';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore, embedded } from '../../../support/stores.ts';
import { PNG, upload } from '../media/files.ts';
import { aSelfAnsweringOffice } from './auto-reply-fixture.ts';

eachStore('auto-reply rules', (kind) => {
  it('can be created, changed and removed, with flags as numbers or text', async (t) => {
    const { gateway, api, acme, path } = await aSelfAnsweringOffice(t, kind);
    const made = await api('POST', path, {
      name: 'Prices',
      trigger_type: 'keyword',
      trigger_text: 'price',
      match_case: 'true',
      reply_body: '10',
    });
    assert.equal(made.status, 201);
    assert.deepEqual(Object.keys(made.body), ['id']);
    const [{ created_at, ...rule }] = (await api('GET', path)).body.rules;
    assert.ok(created_at > 0);
    assert.deepEqual(rule, {
      id: made.body.id,
      session_id: path.split('/')[3],
      name: 'Prices',
      trigger_type: 'keyword',
      trigger_text: 'price',
      match_case: 1,
      reply_type: 'text',
      reply_body: '10',
      reply_r2_key: null,
      reply_caption: null,
      cooldown_ms: 60_000,
      priority: 0,
      is_active: 1,
    });
    const change = async (body: object) => (await api('PATCH', `${path}/${made.body.id}`, body)).status;
    assert.deepEqual(
      [await change({ is_active: 0, match_case: '0' }), await change({ trigger_text: null }), await change({})],
      [200, 400, 200],
    );
    const [after] = (await api('GET', path)).body.rules;
    assert.deepEqual([after.is_active, after.match_case, after.trigger_text], [0, 0, 'price']);
    const other = await gateway.signUp('Other', '+62 811-0000-8888');
    assert.equal((await other.api('GET', path)).status, 404);
    assert.deepEqual((await api('DELETE', `${path}/${made.body.id}`)).body, { ok: true });
    assert.equal((await api('DELETE', `${path}/${made.body.id}`)).status, 404);
    assert.ok(acme.id);
  });

  it('are rejected with invalid fields or unsafe patterns', async (t) => {
    const { api, path } = await aSelfAnsweringOffice(t, kind);
    const refused = async (fields: object) => {
      const { status, body } = await api('POST', path, { name: 'x', trigger_type: 'any', reply_body: 'y', ...fields });
      return status === 201 ? 'made' : body.code;
    };
    assert.deepEqual(
      await Promise.all([
        refused({ reply_body: null }),
        refused({ trigger_type: 'contains', trigger_text: ' ' }),
        refused({ reply_type: 'image' }),
        refused({ reply_type: 'image', reply_r2_key: 'med_nothing' }),
        refused({ match_case: 'yes' }),
        refused({ trigger_type: 'regex', trigger_text: '(' }),
        refused({ trigger_type: 'regex', trigger_text: '(a+)+$' }),
        refused({ trigger_type: 'regex', trigger_text: '(?=a)b' }),
        refused({ trigger_type: 'regex', trigger_text: '^(order|pesanan) \\d+' }),
      ]),
      [
        ...['VALIDATION_FAILED', 'VALIDATION_FAILED', 'VALIDATION_FAILED', 'NOT_FOUND', 'VALIDATION_FAILED', 'VALIDATION_FAILED'],
        ...['UNSAFE_REGEX', 'UNSAFE_REGEX', 'made'],
      ],
    );
    const [{ id }] = (await api('GET', path)).body.rules;
    assert.equal((await api('PATCH', `${path}/${id}`, { trigger_text: '(a|a)*$' })).body.code, 'UNSAFE_REGEX');
  });

  it('can reply with files, and lose their cooldowns when removed', async (t) => {
    const { gateway, acme, api, path, rule, write } = await aSelfAnsweringOffice(t, kind);
    const { key } = (await upload(gateway, acme, PNG, 'a.png')).body;
    const id = await rule({ reply_type: 'image', reply_r2_key: key, reply_caption: 'For {phone}', cooldown_ms: 3_600_000 });
    write(ANNA, 'Hi');
    const picture = await gateway.until('a picture', () =>
      gateway.sandbox
        .phone(ANNA)
        .messages(5)
        .find(({ content }) => content.type === 'image'),
    );
    assert.equal('caption' in picture.content && picture.content.caption, `For +${ANNA}`);
    const turns = gateway.store.collection({ name: 'auto_reply_turns', indexes: [] });
    assert.equal(await turns.countDocuments({ of: id }), 1);
    await api('DELETE', `${path}/${id}`);
    assert.equal(await turns.countDocuments({ of: id }), 0);
  });

  it('can be renamed and paused if their file has been deleted, but cannot switch to another deleted file', async (t) => {
    const { gateway, acme, api, path, rule } = await aSelfAnsweringOffice(t, kind);
    const [{ key }, { key: other }] = [(await upload(gateway, acme, PNG)).body, (await upload(gateway, acme, PNG)).body];
    const id = await rule({ reply_type: 'image', reply_r2_key: key });
    for (const gone of [key, other]) assert.equal((await api('DELETE', `/v1/media/${gone}`)).status, 200);
    const change = async (body: object) => (await api('PATCH', `${path}/${id}`, body)).status;
    assert.deepEqual(
      [await change({ name: 'Old prices', is_active: 0 }), await change({ reply_r2_key: other }), await change({ reply_type: 'document' })],
      [200, 404, 404],
    );
    const [after] = (await api('GET', path)).body.rules;
    assert.deepEqual([after.name, after.is_active, after.reply_r2_key], ['Old prices', 0, key]);
  });
});

const LISTED_BYTES = 4 * 1_024 * 1_024;
/** Of characters that JSON writes with six bytes. */
const LONGEST_REPLY = '\u0001'.repeat(4_096);

it("an auto-reply rule is rejected if the device's rules would no longer fit in one list response", async (t) => {
  const store = await embedded.fresh(t);
  const [autoReplies, device] = [autoRepliesIn(store), { _id: 'S', tenant_id: 'T' }];
  await store.prepare();
  const deps = { autoReplies, regexCheck: { expectSafe: async () => {} }, media: { use: () => assert.fail() } };
  const fields = { ...RULE_DEFAULTS, name: 'Prices', trigger_type: 'any', reply_body: LONGEST_REPLY } as const;
  const bytes = Buffer.byteLength(JSON.stringify({ id: '', ...fields, created_at: 0 })) + 50;
  const some = Array.from(
    { length: Math.floor(LISTED_BYTES / bytes) - 1 },
    (_, nth): RuleRow => ({ id: `r${nth}`, ...fields, created_at: 0 }),
  );
  await autoReplies.change('T', 'S', () => some);
  await createRule(deps, device, fields, 0);
  await createRule(deps, device, { ...fields, reply_body: '10' }, 0);
  await assert.rejects(
    async () => {
      for (let nth = 0; nth < 3; nth += 1) await createRule(deps, device, fields, 0);
    },
    { code: 'LIMIT_REACHED' },
  );
  assert.ok(Buffer.byteLength(JSON.stringify(await rulesOf(deps, device))) <= LISTED_BYTES);
});
