/**
 * The time at which the next version takes over: every other time is relative to it. Far ahead,
 * since the platform's alarms keep real time and would come by themselves. Milliseconds since the
 * epoch.
 */
export const UPGRADE = Date.UTC(2100, 10, 20, 12)
