import type { DeviceMove, NodeView } from '../../../actors/services/operations/operations.ts';
import type { PlacedDevice } from './operator.ts';
import { span, table } from './table.ts';

const NODE_COLUMNS = [
  { title: 'NODE' },
  { title: 'STATE' },
  { title: 'DEVICES', isFigure: true },
  { title: 'LOAD', isFigure: true },
  { title: 'UP' },
  { title: 'LAST HEARD' },
  { title: 'ADDRESS' },
];

export function shownNodes(nodes: readonly NodeView[], now: number): string {
  const rows = nodes.map(({ id, state, devices, load, started_at, heartbeat_at, address }) => [
    id,
    state,
    String(devices),
    String(Math.round(load * 10) / 10),
    span(now - started_at),
    `${span(now - heartbeat_at)} ago`,
    address,
  ]);
  const all = nodes.reduce((sum, { devices }) => sum + devices, 0);
  return `${table(NODE_COLUMNS, rows)}\n${count(nodes.length, 'node')}, ${count(all, 'device')} running`;
}

const DEVICE_COLUMNS = [
  { title: 'DEVICE' },
  { title: 'PHONE' },
  { title: 'STATUS' },
  { title: 'NODE' },
  { title: 'PINNED TO' },
  { title: 'NAME' },
];

export function shownDevices(devices: readonly PlacedDevice[]): string {
  const rows = devices.map(({ id, phone_number, status, node, pinned_node, name }) => [
    id,
    phone_number ?? '-',
    status,
    node ?? '-',
    pinned_node ?? '-',
    name ?? '',
  ]);
  return devices.length === 0 ? 'No devices yet.' : `${table(DEVICE_COLUMNS, rows)}\n${count(devices.length, 'device')}`;
}

export function shownState({ id, state, devices }: NodeView): string {
  if (state === 'active') return `${id} accepts its share of devices again.`;
  return devices === 0 ? `${id} is draining; no device is left on it.` : `${id} is draining; ${count(devices, 'device')} will leave it.`;
}

export function shownMove({ device, from, to }: DeviceMove, isPinned: boolean): string {
  const kept = isPinned ? 'and stays there' : 'and may move on';
  return from === to ? `${device} is already on ${to}, ${kept}.` : `${device} moves from ${from} to ${to}, ${kept}.`;
}

export function shownMoves(moves: readonly DeviceMove[], dryRun: boolean): string {
  if (moves.length === 0) return 'The load is even: nothing to move.';
  const rows = moves.map(({ device, from, to }) => [device, from, to]);
  const said = dryRun ? `${count(moves.length, 'device')} would move` : `${count(moves.length, 'device')} moving`;
  return `${table([{ title: 'DEVICE' }, { title: 'FROM' }, { title: 'TO' }], rows)}\n${said}`;
}

const count = (many: number, what: string): string => `${many} ${what}${many === 1 ? '' : 's'}`;
