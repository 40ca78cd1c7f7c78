/**
 * Errors of a template rather than of one message. They pause the campaign, and become its
 * `pause_reason`.
 */

export const TEMPLATE_TROUBLES = [
  'template_parameters',
  'template_missing',
  'template_refused',
  'template_paused',
  'flow_blocked',
] as const;

export const NUMBER_TROUBLES = ['spam_limit', 'payment_missing'] as const;

export type NumberTrouble = (typeof NUMBER_TROUBLES)[number];
