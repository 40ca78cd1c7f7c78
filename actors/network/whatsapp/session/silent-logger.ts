import type { ILogger } from '@whiskeysockets/baileys/lib/Utils/logger.js';
import type { Logger } from 'pino';

/** Logs only the message, at debug level, because the library logs whole stanzas with content. */
export function silentLogger(log: Logger): ILogger {
  const nothing = (): void => {};
  const say = (what: unknown, sentence?: string): void =>
    log.debug({ library: sentence ?? (typeof what === 'string' ? what : '') }, 'message from the client library');
  const logger: ILogger = { level: 'silent', child: () => logger, trace: nothing, debug: nothing, info: nothing, warn: say, error: say };
  return logger;
}
