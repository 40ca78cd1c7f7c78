import type { OtherGateway } from '../../actors/domain/other-gateways.ts';
import type { Door } from './door.ts';
import { evolution } from './evolution/door.ts';
import { waha } from './waha/door.ts';

export const COMPAT_DOORS: Readonly<Record<OtherGateway, Door>> = { evolution, waha };
