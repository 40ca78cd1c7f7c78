import assert from 'node:assert/strict';
import { it } from 'node:test';
import { componentsOf, filled, variablesIn } from '../../../../../../http/console/app/pages/official/components.ts';

const EMPTY = { header: '', body: '', footer: '', buttons: '', samples: {} };

it("a template is converted to the provider's components, with an example for each variable", () => {
  assert.deepEqual(componentsOf({ ...EMPTY, body: 'Come by.' }), [{ type: 'BODY', text: 'Come by.' }]);
  const samples = { 1: 'Anna', 2: 'noon', order: 'A-17' };
  const numbered = {
    ...EMPTY,
    header: 'For {{1}}',
    body: 'At {{2}}, {{1}}, yes {{2}}.',
    footer: 'Shop',
    buttons: ' Yes \n\nNo\n',
    samples,
  };
  assert.deepEqual(componentsOf(numbered), [
    { type: 'HEADER', format: 'TEXT', text: 'For {{1}}', example: { header_text: ['Anna'] } },
    { type: 'BODY', text: 'At {{2}}, {{1}}, yes {{2}}.', example: { body_text: [['Anna', 'noon']] } },
    { type: 'FOOTER', text: 'Shop' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Yes' },
        { type: 'QUICK_REPLY', text: 'No' },
      ],
    },
  ]);
  const [named] = componentsOf({ ...EMPTY, body: 'Order {{ order }} is ready.', samples });
  assert.deepEqual(named?.['example'], { body_text_named_params: [{ param_name: 'order', example: 'A-17' }] });
  assert.deepEqual(variablesIn('{{1}} {{ 1 }} {{a b}} {{name}}'), ['1', 'name']);
  assert.equal(filled('Hi {{1}}, {{3}}', samples), 'Hi Anna, {{3}}');
});
