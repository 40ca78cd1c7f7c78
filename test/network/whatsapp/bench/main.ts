import { pairedRounds, type Round } from './cpu.ts';

/**
 * `[GROUP=1] [BATCH=200] [ROUNDS=7] node test/network/whatsapp/bench/main.ts`: ms of CPU a warm text (to a group of two), through the whole gateway and through the bare
 * library, by turns in one run.
 */
const rounds = await pairedRounds(Number(process.env['ROUNDS'] ?? 7), Number(process.env['BATCH'] ?? 200), {
  inGroup: process.env['GROUP'] === '1',
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
console.log(`median of the ratios ${ratios[Math.floor(ratios.length / 2)]!.toFixed(2)}`);
process.exit(0);
