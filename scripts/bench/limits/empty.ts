/** The size of the runtime. */
process.exitCode = 0;
