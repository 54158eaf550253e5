/**
 * The Node in which apps of tests run as users run them. `npm` puts the Node of our tools before that of the machine, so
 * that `.ci/run` names the machine's own here: packages promise to run from Node 20.
 */
export const usersNode = process.env.USERS_NODE || process.execPath
