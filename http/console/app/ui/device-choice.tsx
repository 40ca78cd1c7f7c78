import type { JSX } from 'preact';
import type { Schemas } from '../../../openapi/client/gateway.generated.ts';
import { common } from '../words/common.ts';
import { Choice } from './choice.tsx';

type Device = Schemas['Session'];

export const nameOfDevice = ({ name, wa_name, phone_display, id }: Device): string => name ?? wa_name ?? phone_display ?? id;

export const deviceOf = (devices: readonly Device[], named: string | undefined): Device | undefined =>
  devices.find(({ id }) => id === named) ?? devices.find(({ status }) => status === 'connected') ?? devices[0];

interface DeviceChoiceProps {
  readonly devices: readonly Device[];
  readonly chosen: string;
  readonly onDevice: (id: string) => void;
}

export const DeviceChoice = ({ devices, chosen, onDevice }: DeviceChoiceProps): JSX.Element => (
  <Choice label={common().device} value={chosen} options={devices.map((one) => [one.id, nameOfDevice(one)] as const)} onValue={onDevice} />
);
