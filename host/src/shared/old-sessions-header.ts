/**
 * On an answer of `GET /session` without a session: the service takes in sessions of another library. An app that
 * forwards learns by it whether to ask about such cookies at all.
 */
export const OLD_SESSIONS_HEADER = 'x-auth-moves-in'
