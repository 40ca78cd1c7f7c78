import type { ILogger } from '@whiskeysockets/baileys/lib/Utils/logger.js';
import type { Logger } from 'pino';

/**
 * Logs at debug level only, and only the log message: the library logs whole stanzas, including
 * people's messages.
 */
export function silentLogger(log: Logger): ILogger {
  const nothing = (): void => {};
  const say = (what: unknown, sentence?: string): void =>
    log.debug({ library: sentence ?? (typeof what === 'string' ? what : '') }, 'the library says');
  const logger: ILogger = { level: 'silent', child: () => logger, trace: nothing, debug: nothing, info: nothing, warn: say, error: say };
  return logger;
}
