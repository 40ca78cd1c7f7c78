import { cancel, refuse } from '../../runtime/behaviour.ts';
import type { DevicePatch } from '../../store/devices.ts';
import { refusal } from '../refusals.ts';
import { aged, dial, failuresOf, leave, RESTING, redial, type Said, save, unwanted, wanted } from './line.ts';
import { stepOf } from './passkey.ts';
import type { DeviceState, DeviceStep, LineState, WantsCode } from './protocol.ts';

/** From the first code to a phone that linked the device. */

const LINKED = { en: 'the device is linked already', id: 'perangkat sudah tertaut' };
const PASSKEY = { en: 'a passkey is asked for', id: 'passkey sedang diminta' };
const ASKED = { en: 'a code is being asked for already', id: 'kode sudah sedang diminta' };

/** The network gives a code only after its first QR: a wish that comes earlier waits in the phase. */
export function pairByCode(state: DeviceState, want: WantsCode): DeviceStep {
  const { line, facts } = state;
  if (facts.credentials !== null) return [state, refuse(want.replyTo, refusal('CONFLICT', { reason: LINKED }))];
  if (stepOf(state)) return [state, refuse(want.replyTo, refusal('CONFLICT', { reason: PASSKEY }))];
  if (line.phase === 'linking' && line.shown)
    return [{ ...state, line: { ...line, byCode: true } }, { do: 'askCode', want }, showing('code')];
  if (line.phase === 'linking' || line.phase === 'dialling') return wait(state, line, want);
  const [next, ...dialling] = dial(wanted(state), failuresOf(line), want);
  return [next, cancel('retry'), save({ wanted: true, status: 'pending', reason: null, ...RESTING }), ...dialling];
}

export function qrShown(state: DeviceState, { qr, expiresAt }: Said<'qr'>): DeviceStep {
  const { line } = state;
  if (line.phase !== 'linking') return [state];
  const { wantsCode } = line;
  const byCode = line.byCode || wantsCode !== null;
  const next: DeviceState = { ...state, line: { ...line, wantsCode: null, byCode, passkey: null, shown: true } };
  const shown = save({ status: 'qr_ready', qr: { code: qr, expires_at: expiresAt }, pairing: { step: byCode ? 'code' : 'qr' } });
  return wantsCode ? [next, shown, { do: 'askCode', want: wantsCode }] : [next, shown];
}

/** A phone linked us. Nothing else happens before the credentials are stored: a login that is forgotten is a device lost. */
export function linked(state: DeviceState, { phone, credentials }: Said<'linked'>, now: number): DeviceStep {
  if (state.line.phase !== 'linking') return [state];
  // The same phone again is not young again.
  const linkedAt = (phone === state.facts.phone ? state.facts.linkedAt : null) ?? now;
  const [next, ...aging] = aged({ ...state, facts: { ...state.facts, phone, credentials, linkedAt } });
  const patch: DevicePatch = { credentials, phone_number: phone, linked_at: linkedAt, status: 'pending', ...RESTING };
  return [next, ...aging, { do: 'save', patch, hear: { type: 'linkSaved', dial: state.line.dial } }];
}

export function linkSaved(state: DeviceState): DeviceStep {
  if (state.line.phase !== 'linking') return [state];
  return state.line.over ? redial(state) : [{ ...state, line: { ...state.line, saved: true } }];
}

/** The network ends the line of a device that was just linked (515): come again at once, as soon as the login is stored. */
export function comeAgain(state: DeviceState, line: Extract<LineState, { phase: 'linking' }>): DeviceStep {
  if (state.facts.credentials === null) return codesRanOut(state);
  return line.saved ? redial(state) : [{ ...state, line: { ...line, over: true } }];
}

/** Nobody linked it: it rests until somebody asks again. */
export function codesRanOut(state: DeviceState): DeviceStep {
  const [next, ...leaving] = leave(unwanted(state), { phase: 'down', dial: state.line.dial });
  return [next, ...leaving, save({ status: 'pending', wanted: false, ...RESTING })];
}

function wait(state: DeviceState, line: Extract<LineState, { wantsCode: unknown }>, want: WantsCode): DeviceStep {
  if (line.wantsCode) return [state, refuse(want.replyTo, refusal('CONFLICT', { reason: ASKED }))];
  return [{ ...state, line: { ...line, wantsCode: want } }];
}

const showing = (step: 'qr' | 'code') => save({ pairing: { step } });
