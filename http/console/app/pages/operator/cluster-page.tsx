import type { JSX } from 'preact';
import type { RouteProps } from '../../guard.tsx';
import { Balance } from './balance.tsx';
import { Devices } from './devices.tsx';
import { OperatorsOnly } from './gate.tsx';
import { Nodes } from './nodes.tsx';
import { words } from './words.ts';

export const ClusterPage = ({ query = {} }: RouteProps): JSX.Element => (
  <OperatorsOnly title={words().cluster}>
    <Nodes />
    <Balance />
    <Devices query={query} />
  </OperatorsOnly>
);
