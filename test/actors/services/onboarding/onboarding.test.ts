import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compile } from '../../../../actors/domain/text-tokens.ts';
import { INDUSTRIES } from '../../../../actors/services/accounts/profile.ts';
import { PACKS } from '../../../../actors/services/onboarding/packs/index.ts';
import type { PackText } from '../../../../actors/services/onboarding/packs/pack.ts';
import { ANNA, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { anAddressBook } from '../contacts/contacts-fixture.ts';

eachStore('onboarding', (kind) => {
  it('checks off the steps that a new business has completed', async (t) => {
    const { ask, add, acme } = await anAddressBook(t, kind);
    const done = async () =>
      (await ask(200, 'GET', '/v1/onboarding')).steps
        .filter((step: { done: boolean }) => step.done)
        .map(({ step }: { step: string }) => step);
    assert.deepEqual(await done(), []);
    await ask(200, 'PUT', '/v1/profile', { business_name: 'Warung Acme', industry: 'restaurant' });
    await ask(200, 'POST', '/v1/onboarding/packs/restaurant/apply', {});
    await add(ANNA);
    assert.deepEqual(await done(), ['profile', 'pack', 'contacts']);
    const device = await acme.linked(PHONE);
    await device.text(ANNA, 'Hello');
    const list = await ask(200, 'GET', '/v1/onboarding?lang=id');
    assert.deepEqual([list.done, list.industry, list.steps[1].title], [true, 'restaurant', 'Tautkan ponsel']);
  });

  it('adds the contents of a starter pack only once', async (t) => {
    const { ask } = await anAddressBook(t, kind);
    const { packs } = await ask(200, 'GET', '/v1/onboarding/packs');
    assert.deepEqual(
      packs.map(({ industry }: { industry: string }) => industry),
      INDUSTRIES,
    );
    const pack = await ask(200, 'GET', '/v1/onboarding/packs/beauty?language=en');
    const apply = (language?: string) => ask(200, 'POST', '/v1/onboarding/packs/beauty/apply', language ? { language } : {});
    const first = await apply('en');
    assert.deepEqual([first.templates, first.tags], [pack.templates.length, pack.tags.length]);
    const { templates } = await ask(200, 'GET', '/v1/templates');
    await ask(200, 'PATCH', `/v1/templates/${templates[0].id}`, { name: 'My own name for it', body: 'and text' });
    assert.deepEqual(await apply('en'), { templates: 0, tags: 0, auto_replies: 0 });
    await ask(200, 'DELETE', `/v1/templates/${templates[1].id}`);
    assert.deepEqual((await apply('en')).templates, 1);
    assert.equal((await apply()).templates, 3);
    assert.equal((await ask(404, 'POST', '/v1/onboarding/packs/piracy/apply', {})).code, 'NOT_FOUND');
  });
});

eachStore("a starter pack's auto-replies", (kind) => {
  it('are created only once for a device, with the texts of the pack', async (t) => {
    const { ask, acme, gateway } = await anAddressBook(t, kind);
    const device = await acme.linked(PHONE);
    const apply = () => ask(200, 'POST', '/v1/onboarding/packs/restaurant/apply', { session_id: device.id, language: 'en' });
    const { auto_replies } = await ask(200, 'GET', '/v1/onboarding/packs/restaurant?language=en');
    assert.equal((await apply()).auto_replies, auto_replies.length);
    const { rules } = await ask(200, 'GET', `${device.path}/auto-reply`);
    await ask(200, 'PATCH', `${device.path}/auto-reply/${rules[0].id}`, { name: 'My own name for it' });
    assert.equal((await apply()).auto_replies, 0);
    gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'Your menu, please' } });
    const received = () => gateway.sandbox.phone(ANNA).messages(1)[0]?.content;
    const answer = await gateway.until('she is answered', received);
    assert.match(answer.type === 'text' ? answer.body : '', /our menu in a moment/);
    const elsewhere = { session_id: rules[0].id };
    assert.equal((await ask(404, 'POST', '/v1/onboarding/packs/restaurant/apply', elsewhere)).code, 'NOT_FOUND');
  });
});

it('every industry has a valid starter pack with the same contents in both languages', () => {
  assert.deepEqual([...PACKS.keys()], INDUSTRIES);
  for (const [industry, { en, id }] of PACKS) {
    const shape = ({ templates, replies, tags }: PackText) => [Object.keys(templates), Object.keys(replies), tags.length];
    assert.deepEqual(shape(en), shape(id), industry);
    assert.ok(Object.keys(en.templates).length >= 3 && Object.keys(en.replies).length >= 2 && en.tags.length >= 4, industry);
    for (const text of [en, id]) {
      const names = Object.values(text.templates).map(([name]) => name.toLowerCase());
      assert.equal(new Set(names).size, names.length, industry);
      assert.equal(new Set(text.tags).size, text.tags.length, industry);
      const bodies = [...Object.values(text.templates).map(([, body]) => body), ...Object.values(text.replies).map(([, , body]) => body)];
      for (const body of bodies) {
        assert.ok(body.length > 20 && body.length < 300, body);
        const { start, tokens } = compile(body);
        assert.doesNotMatch([start, ...tokens.map(({ after }) => after)].join(''), /[{}]/, body);
      }
    }
  }
});
