import assert from 'node:assert/strict';
import { it } from 'node:test';
import { recipientsIn } from '../../../../../../http/console/app/pages/campaigns/plan.ts';

it('reads a number and an optional name per line, each number once', () => {
  assert.deepEqual(recipientsIn(' +62 812-1, Anna, Wijaya \n\n628122\n62812-1,again\n;nobody'), [
    { phone: '+62 812-1', name: 'Anna, Wijaya' },
    { phone: '628122' },
  ]);
});
