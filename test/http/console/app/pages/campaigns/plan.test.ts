import assert from 'node:assert/strict';
import { it } from 'node:test';
import { recipientsIn } from '../../../../../../http/console/app/pages/campaigns/plan.ts';

it('a recipient list is parsed as a number and an optional name per line, without duplicates', () => {
  assert.deepEqual(recipientsIn(' +62 812-1, Anna, Wijaya \n\n628122\n62812-1,again\n;nobody'), [
    { phone: '+62 812-1', name: 'Anna, Wijaya' },
    { phone: '628122' },
  ]);
});
