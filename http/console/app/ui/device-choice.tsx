import type { JSX } from 'preact';
import type { Schemas } from '../../../../scripts/examples/client/gateway.generated.ts';
import { common } from '../words/common.ts';
import { Choice } from './choice.tsx';

type Device = Schemas['Session'];

/** What a device is called: the name it was given, else that of its account, else its number. */
export const nameOfDevice = ({ name, wa_name, phone_display, id }: Device): string => name ?? wa_name ?? phone_display ?? id;

interface DeviceChoiceProps {
  readonly devices: readonly Device[];
  readonly chosen: string;
  readonly onDevice: (id: string) => void;
}

/** One of the devices. */
export const DeviceChoice = ({ devices, chosen, onDevice }: DeviceChoiceProps): JSX.Element => (
  <Choice label={common().device} value={chosen} options={devices.map((one) => [one.id, nameOfDevice(one)] as const)} onValue={onDevice} />
);
