import { at } from '../../../runtime/invariant.ts';
import { baseline } from '../../faults/whatsapp/published.ts';
import { pairedRounds, type Round } from './cpu.ts';

/**
 * `[GROUP=2] [BATCH=200] [ROUNDS=7] node scripts/bench/whatsapp/main.ts`: ms of CPU a warm text (to a group of so many), through the whole
 * gateway and through the bare library as it is published, by turns in one run.
 */
const bare = baseline();
console.log(bare.is);
const members = Number(process.env['GROUP'] ?? 0);
const rounds = await pairedRounds(Number(process.env['ROUNDS'] ?? 7), Number(process.env['BATCH'] ?? 200), bare, {
  inGroup: members === 0 ? 0 : Math.max(1, members - 1),
});
const sorted = (value: (round: Round) => number): readonly number[] => rounds.map(value).toSorted((a, b) => a - b);
const shown = (name: string, values: readonly number[]): void => console.log(name, values.map((value) => value.toFixed(2)).join(' '));
const ratios = sorted(({ bare, gateway }) => gateway / bare);
shown(
  'bare',
  sorted(({ bare }) => bare),
);
shown(
  'gateway',
  sorted(({ gateway }) => gateway),
);
shown('ratios', ratios);
console.log(`median of the ratios ${at(ratios, Math.floor(ratios.length / 2)).toFixed(2)}`);
process.exit(0);
