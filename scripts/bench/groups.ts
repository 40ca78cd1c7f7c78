import { type RoundsOptions, runRounds, type Table } from './rounds.ts';

export const GROUPS = 'groups: 500 of 50 members at login, and one of 1,024';

export function benchGroups({ rounds, isQuick }: RoundsOptions): Promise<Table> {
  const size = isQuick ? 'quick' : 'full';
  const gateway = new URL('./groups/gateway.ts', import.meta.url);
  return runRounds({
    title: GROUPS,
    ceiling: 'library',
    rounds,
    variants: [
      { name: 'library', script: new URL('./groups/bare.ts', import.meta.url), args: [size] },
      { name: 'first login', script: gateway, args: [size, 'first'] },
      { name: 'later login', script: gateway, args: [size, 'later'] },
    ],
    metrics: [
      { key: 'listMs', title: 'CPU ms, list', digits: 1 },
      { key: 'heldMs', title: 'ms event loop held, list', digits: 1 },
      { key: 'groupMs', title: 'CPU ms, 1,024 members', digits: 2 },
      { key: 'questions', title: 'questions for it', digits: 0 },
      { key: 'writes', title: 'writes for it', digits: 0 },
    ],
  });
}

export const GROUP_NOTES = [
  'groups: the library decodes and reads the answer, and forgets it; the gateway decodes and reads it, and has it durable in the embedded store. A later login finds all of it there. The frame is opened by both alike and left out.',
];
