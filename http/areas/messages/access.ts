/** Rows that send or change one message: for agents too, and for keys of the device with the scope `send`. The message log is their record. */
export const CHANGES_MESSAGE = {
  deviceKeys: true,
  agents: true,
  scope: 'send',
  audit: { none: 'a message; the message log shows it' },
} as const;
