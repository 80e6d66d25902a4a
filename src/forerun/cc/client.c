/* forerun cc: asks the resident server to compile, and runs the real compiler where the server cannot.
 *
 * It runs once for each translation unit, so it does nothing that costs. Beside it lies the file `server`, written by
 * launch.py: the server's name, its folder, Python, the code to start it with, and the files of the package with their
 * times, so that an upgrade never talks to an old server (60 stat calls, .1 ms). Failures end in the real compiler.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
enum { START_MS = 15000, SILENCE_MS = 30000 }; /* the server says every second that it is alive */
extern char **environ;
static char **command, real[PATH_MAX], home[PATH_MAX];
static char *name, *folder, *python, *code, *files;
static struct sockaddr_un place = {.sun_family = AF_UNIX};

static void run_real(const char *why) {
    const char *verbose = getenv("FORERUN_VERBOSE");
    if (why && verbose && !strcmp(verbose, "1")) fprintf(stderr, "forerun: %s; the real compiler runs\n", why);
    execv(real, command);
    exit((perror(real), 127));
}

static int is_this_program(const char *path) {
    struct stat self, other;
    if (stat("/proc/self/exe", &self) || stat(path, &other)) return 0;
    return self.st_ino == other.st_ino && self.st_dev == other.st_dev;
}

/* The compiler as the shell would find it, but never this program: a symlink may bear the compiler's name. */
static int find_real(const char *program) {
    struct stat found;
    const char *base = strrchr(program, '/'), *path = getenv("PATH");
    if (base && snprintf(real, sizeof real, "%s", program) && !is_this_program(real)) return 1;
    for (program = base ? base + 1 : program; path; path = strchr(path, ':') ? strchr(path, ':') + 1 : NULL) {
        int length = (int)strcspn(path, ":");
        snprintf(real, sizeof real, "%.*s/%s", length ? length : 1, length ? path : ".", program);
        if (!access(real, X_OK) && !stat(real, &found) && S_ISREG(found.st_mode) && !is_this_program(real)) return 1;
    }
    return 0;
}

static int read_config(void) {
    char path[PATH_MAX + 8], **facts[] = {&name, &folder, &python, &code};
    static char config[1 << 18];
    snprintf(path, sizeof path, "%s/server", home);
    int file = open(path, O_RDONLY);
    ssize_t got = read(file, config, sizeof config - 1);
    config[got > 0 ? got : 0] = 0;
    close(file);
    files = config;
    for (int i = 0; i < 4; i++)
        if (!(*facts[i] = strsep(&files, "\n")) || !files) return 0;
    return 1;
}

static int current(void) {
    struct stat status;
    for (char *entry; (entry = strsep(&files, "\n")) && *entry;) {
        long seconds = strtol(entry, &entry, 10), nanoseconds = strtol(entry, &entry, 10);
        if (!*entry || stat(entry + 1, &status)) return 0;
        if (status.st_mtim.tv_sec != seconds || status.st_mtim.tv_nsec != nanoseconds) return 0;
    }
    return 1;
}

/* Runs Python with the server's code, without the build's pipes: `make | tee` would wait for the server. */
static pid_t start_python(const char *what, int ready) {
    pid_t child = fork();
    if (child) return child;
    char number[16];
    snprintf(number, sizeof number, "%d", ready);
    for (int i = 0, null = open("/dev/null", O_RDWR); i < 1024; i++)
        if (i < 3 ? dup2(null, i) < 0 : i != ready) close(i);
    setsid();
    if (ready >= 0 && fork()) _exit(0); /* an orphan: nobody has to wait for it */
    if (chdir("/")) _exit(1);
    execl(python, python, "-E", "-P", "-c", code, what, number, home, (char *)NULL);
    _exit(127);
}

/* The package has changed: its new version writes the file anew, and may bring another client. */
static int refresh(char **words) {
    int status = 1;
    char path[PATH_MAX + 16];
    pid_t child = start_python("refresh", -1);
    if (child < 0 || waitpid(child, &status, 0) != child || status) return 0;
    snprintf(path, sizeof path, "%s/forerun-cc", home);
    if (!is_this_program(path)) execv(path, words);
    return read_config();
}

/* Where the server listens: the user's runtime folder, else the cache; the folder must be the user's own, or absent. */
static int choose_place(void) {
    struct stat status;
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    int usable = runtime && *runtime == '/' && !stat(runtime, &status) && status.st_uid == geteuid();
    size_t room = sizeof place.sun_path - 5; /* for `.lock` */
    if (usable && (size_t)snprintf(place.sun_path, room, "%s/forerun", runtime) < room) ;
    else if ((size_t)snprintf(place.sun_path, room, "%s", folder) >= room) return 0;
    if (mkdir(place.sun_path, 0700) && (lstat(place.sun_path, &status) || status.st_uid != geteuid())) return 0;
    size_t length = strlen(place.sun_path);
    return (size_t)snprintf(place.sun_path + length, room - length, "/%s", name) < room - length;
}

static int try_connect(void) {
    int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (!connect(server, (struct sockaddr *)&place, sizeof place)) return server;
    return close(server), -1;
}

/* Many compilers start at once: the first to hold the lock starts the server, the others find it running. */
static int reach_server(void) {
    int server = try_connect(), pipes[2];
    char path[sizeof place.sun_path + 8];
    if (server >= 0) return server;
    snprintf(path, sizeof path, "%s.lock", place.sun_path);
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0 || flock(lock, LOCK_EX)) return -1;
    if ((server = try_connect()) < 0 && !pipe(pipes)) {
        pid_t child = start_python(place.sun_path, pipes[1]);
        close(pipes[1]);
        struct pollfd ready = {.fd = pipes[0], .events = POLLIN};
        if (child > 0) waitpid(child, NULL, 0);
        poll(&ready, 1, START_MS); /* it ends when the server listens, or has died */
        close(pipes[0]);
        server = try_connect();
    }
    close(lock);
    return server;
}

/* Length; file mode mask, working directory, real compiler, number of arguments, these, the environment. */
static int send_request(int server, int count) {
    char *message = NULL, cwd[PATH_MAX], control[CMSG_SPACE(2 * sizeof(int))] = {0};
    size_t length = 0, sent = 0;
    mode_t mask = umask(0);
    umask(mask);
    FILE *body = open_memstream(&message, &length);
    if (!body || !getcwd(cwd, sizeof cwd)) return 0;
    fprintf(body, "    %u%c%s%c%s%c%d%c", (unsigned)mask, 0, cwd, 0, real, 0, count, 0);
    for (char **word = command + 1; *word; word++) fwrite(*word, 1, strlen(*word) + 1, body);
    for (char **word = environ; *word; word++) fwrite(*word, 1, strlen(*word) + 1, body);
    if (fclose(body)) return 0;
    memcpy(message, &(uint32_t){(uint32_t)(length - 4)}, 4);
    struct iovec part = {message, length};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control};
    header.msg_controllen = sizeof control;
    struct cmsghdr *first = CMSG_FIRSTHDR(&header);
    first->cmsg_len = CMSG_LEN(2 * sizeof(int)), first->cmsg_level = SOL_SOCKET, first->cmsg_type = SCM_RIGHTS;
    memcpy(CMSG_DATA(first), (int[2]){1, 2}, 2 * sizeof(int));
    ssize_t got = sendmsg(server, &header, MSG_NOSIGNAL);
    while (got > 0 && (sent += (size_t)got) < length) got = send(server, message + sent, length - sent, MSG_NOSIGNAL);
    return sent == length;
}

/* The exit code; or -1: the real compiler must run, -2: the server went away without an answer, -3: it is silent. */
static int wait_answer(int server) {
    unsigned char kind = '.', value;
    struct pollfd ready = {.fd = server, .events = POLLIN};
    while (kind == '.') {
        if (poll(&ready, 1, SILENCE_MS) == 0) return -3;
        if (read(server, &kind, 1) != 1) return -2;
    }
    return kind != 'D' ? -1 : read(server, &value, 1) == 1 ? value : -2;
}

int main(int count, char **words) {
    const char *base = strrchr(words[0], '/') ? strrchr(words[0], '/') + 1 : words[0];
    int linked = strncmp(base, "forerun", 7) != 0, answer = -2;
    command = words + !linked;
    if (!*command) return fputs("forerun: usage: forerun cc COMPILER [OPTION...]\n", stderr), 2;
    if (!find_real(command[0])) return fprintf(stderr, "forerun: no compiler is called %s\n", command[0]), 127;
    if (linked) command[0] = real;
    char **word = command;
    while (*word && strcmp(*word, "-c")) word++;
    if (!*word) run_real("no -c: it links, preprocesses or prints"); /* not worth a round trip */
    if (readlink("/proc/self/exe", home, sizeof home - 1) < 0) run_real("/proc is not mounted");
    *strrchr(home, '/') = 0;
    if (!read_config() || (!current() && !refresh(words))) run_real("the package has moved: run `forerun cc` anew");
    if (!choose_place()) run_real("there is no safe folder for the server's socket");
    for (int attempt = 0; attempt < 2 && answer == -2; attempt++) { /* the first server may just be ending */
        int server = reach_server();
        if (server < 0) run_real("the server does not start: run `forerun doctor`");
        answer = send_request(server, count - 1 - !linked) ? wait_answer(server) : -2;
        close(server);
    }
    if (answer >= 0) return answer;
    run_real(answer == -2 ? "the server ended" : answer == -3 ? "the server does not answer" : NULL);
}
