import { readyRules } from '../../../actors/services/auto-reply/matching.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { safeText } from '../../../runtime/safe-text.ts';
import { MESSAGE, measure, RULES } from './workload.ts';

const ready = readyRules({ _id: 'd', tenant_id: 't', rev: 1, rules: RULES }, systemClock);

await measure(() => ready.match(safeText(MESSAGE)), process.argv[2] === 'quick');
