import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MAX_TEMPLATES, newTemplate } from '../../../../actors/services/contacts/templates.ts';
import { segments } from '../../../../http/areas/contacts/segment-rows.ts';
import { templates as templatesArea } from '../../../../http/areas/templates/rows.ts';
import { labelsIn } from '../../../../store/contacts/labels.ts';
import { eachStore } from '../../../support/stores.ts';
import { anAddressBook } from './contacts-fixture.ts';

const LONG = 'x'.repeat(65_000);
const template = (nth: number, body = LONG) => ({ name: `Template ${nth}`, message_type: 'text' as const, body });
const rulesOf = (text: string) => {
  const value = Array.from({ length: 100 }, () => text.slice(0, 500));
  return { any: Array.from({ length: 20 }, () => ({ field: 'name', op: 'in', value })) };
};

eachStore('the size limit of an unpaged list', (kind) => {
  it('blocks templates that would exceed it, but never a change that makes a template smaller', async (t) => {
    const { gateway, acme, api, ask } = await anAddressBook(t, kind);
    const small = await ask(201, 'POST', '/v1/templates', template(0, 'Hi'));
    const { templates } = labelsIn(gateway.store);
    for (let nth = 1; nth <= 60; nth += 1) {
      const fields = { ...template(nth), media_r2_key: null, caption: null, language: 'en' } as const;
      await templates.add(newTemplate(acme.id, fields, null, gateway.clock.now()), MAX_TEMPLATES);
    }
    const answers = await Promise.all(Array.from({ length: 12 }, (_, nth) => api('POST', '/v1/templates', template(61 + nth))));
    const refused = answers.filter(({ status }) => status !== 201);
    assert.ok(
      refused.length === 7 || refused.length === 8,
      `64 fit, and one that comes at once with the last; ${refused.length} are refused`,
    );
    for (const { status, body } of refused) assert.deepEqual([status, body.code], [402, 'LIMIT_REACHED']);

    const path = `/v1/templates/${small.id}`;
    assert.equal((await ask(402, 'PATCH', path, { body: LONG })).code, 'LIMIT_REACHED');
    const long = answers.flatMap(({ status, body }) => (status === 201 ? body.id : []));
    for (const id of long) await ask(200, 'PATCH', `/v1/templates/${id}`, { body: 'Hello' });
    assert.equal((await ask(200, 'PATCH', path, { body: LONG })).body, LONG);
  });

  it('blocks segments that would exceed it, but never a rename or a change to smaller rules', async (t) => {
    const { ask } = await anAddressBook(t, kind);
    const segment = (name: string, text: string) => ({ name, rules: rulesOf(text) });
    for (const nth of [0, 1, 2, 3]) await ask(201, 'POST', '/v1/segments', segment(`Segment ${nth}`, LONG));
    assert.equal((await ask(402, 'POST', '/v1/segments', segment('Segment 4', LONG))).code, 'LIMIT_REACHED');
    const { id } = await ask(201, 'POST', '/v1/segments', segment('Small', 'x'));
    assert.equal((await ask(402, 'PATCH', `/v1/segments/${id}`, { rules: rulesOf(LONG) })).code, 'LIMIT_REACHED');
    await ask(200, 'PATCH', `/v1/segments/${id}`, { name: 'Tiny', rules: { any: [{ field: 'tag', op: 'exists' }] } });
  });
});

it('all calls that list, add or change templates or segments are marked as heavy', () => {
  const heavy = [...templatesArea.rows, ...segments.rows].filter((row) => row.heavy).map(({ id }) => id);
  const all = ['listTemplates', 'createTemplate', 'changeTemplate', 'listSegments', 'createSegment', 'changeSegment'];
  assert.deepEqual(
    heavy.filter((id) => all.includes(id)),
    all,
  );
});
