import type { JSX } from 'preact';
import { Balance } from './balance.tsx';
import { OperatorsOnly } from './gate.tsx';
import { Nodes } from './nodes.tsx';
import { words } from './words.ts';

export const ClusterPage = (): JSX.Element => (
  <OperatorsOnly title={words().cluster}>
    <Nodes />
    <Balance />
  </OperatorsOnly>
);
